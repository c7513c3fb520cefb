"""Functions in objects of the library that launch kernels: what they put on streams is compared, too."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check

PROGRAM = """
#include <algorithm>
#include <cstdio>
#include <cuda_runtime.h>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>
__global__ void put(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] += i; }
static void work(float *x, cudaStream_t t) { put<<<4, 256, 0, t>>>(x, 1024); }
static void slow(float *x, cudaStream_t t) { put<<<8, 128, 0, t>>>(x, 1024); }
static auto made(float *x) { return [=](cudaStream_t t) { put<<<4, 256, 0, t>>>(x, 1024); }; }
struct Solver { float *x; void run(cudaStream_t t) { put<<<4, 256, 0, t>>>(x, 1024); } };
using Run = void (*)(float *, cudaStream_t);
struct Variant { std::string name; Run run; };
static void each(std::function<void(int)> f) { for (int i = 0; i < 4; i++) f(i); }
int main(int argc, char **argv) {
  float *x, *y, *m; cudaMalloc(&x, 4096), cudaMalloc(&y, 4096), cudaMallocManaged(&m, 4096);
  cudaStream_t a, b, s[4]; cudaStreamCreate(&a), cudaStreamCreate(&b); for (auto &one : s) cudaStreamCreate(&one);
  BODY
  cudaDeviceSynchronize();
}
"""
TWINS = {  # a program, what leaves it without order, what orders it or gives it other memory
    "called twice": (
        "std::function<void(cudaStream_t)> f = [=](cudaStream_t t) {{ put<<<4, 256, 0, t>>>(x, 1024); }};"
        "f(a); {} f(b);",
        "",
        "cudaStreamSynchronize(a);",
    ),
    "a list": (
        "std::vector<std::function<void()>> list;"
        "list.push_back([=] {{ put<<<4, 256, 0, a>>>(x, 1024); }});"
        "list.push_back([=] {{ put<<<4, 256, 0, b>>>({}, 1024); }}); for (auto &f : list) f();",
        "x",
        "y",
    ),
    "an argument": ("each([&](int i) {{ put<<<4, 256, 0, {}>>>(x, 1024); }});", "s[i]", "a"),
    "bound": (
        "auto f = std::bind(work, x, std::placeholders::_1); f(a); {} f(b);", "", "cudaStreamSynchronize(a);"
    ),
    "bound in another order": (
        "auto f = std::bind(work, std::placeholders::_2, std::placeholders::_1); f(a, x); f(b, {});", "x", "y"
    ),
    "bound in a list": (
        "std::vector<std::function<void()>> q; q.push_back(std::bind(work, x, a)); q.push_back(std::bind(work, x, {}));"
        "for (auto &f : q) f();",
        "b",
        "a",
    ),
    "a bound method": (
        "Solver o{{x}}; auto f = std::bind(&Solver::run, &o, std::placeholders::_1); f(a); f({});", "b", "a"
    ),
    "an invoked method": ("Solver o{{x}}; std::invoke(&Solver::run, o, a); {} std::invoke(&Solver::run, o, b);", "",
        "cudaStreamSynchronize(a);"
    ),
    "a lambda that is returned": ("auto f = made(x); f(a); f({});", "b", "a"),
    "a map of functions": (
        "std::map<std::string, Run> t = {{{{\"work\", work}}, {{\"slow\", slow}}}}; t[argv[1]](x, a); {}"
        "t.at(argv[2])(x, b);",
        "",
        "cudaStreamSynchronize(a);",
    ),
    "a list of records": (
        "std::vector<Variant> t = {{{{\"work\", work}}, {{\"slow\", slow}}}};"
        "for (auto &one : t) {{ one.run(x, a); one.run(x, {}); }}",
        "b",
        "a",
    ),
    "beside the host": (
        "std::function<void()> f = [=] {{ put<<<4, 256>>>(m, 1024); }}; f(); {} printf(\"%f\", m[3]);",
        "",
        "cudaDeviceSynchronize();",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TWINS)
def test_twins(tmp_path: Path, name: str) -> None:
    body, without, ordered = TWINS[name]
    found = [check(tmp_path, PROGRAM.replace("BODY", body.format(part))) for part in (without, ordered)]
    racing, clear = ([n for k in report.kernels for n in k.launches if n.launch_span is not None] for report in found)
    sure = name in ("an invoked method", "a lambda that is returned")  # what is called is known
    assert {n.outcome for n in racing} - {Outcome.SAFE} == {Outcome.RACE if sure else Outcome.UNKNOWN}
    assert all(n.outcome is Outcome.SAFE and n.open_pairs == () for n in clear)


NOT_FOLLOWED = {  # where it is not known what code of a library calls
    "a pointer to a method": "Solver o{{x}}; auto f = &Solver::run; std::invoke(f, o, a); std::invoke(f, o, {});",
    "arguments in a tuple": "std::apply(work, std::make_tuple(x, a)); std::apply(work, std::make_tuple(x, {}));",
    "an algorithm": "std::for_each(s, s + 4, [=](cudaStream_t t) {{ put<<<4, 256, 0, {}>>>(x, 1024); }});",
    "a thread": "Solver o{{x}}; std::thread t(std::bind(&Solver::run, &o, {})); put<<<1, 1, 0, a>>>(x, 1); t.join();",
}


@pytest.mark.parametrize("name", NOT_FOLLOWED)
def test_what_is_not_followed_may_put_any_work_on_the_device(tmp_path: Path, name: str) -> None:
    report = check(tmp_path, PROGRAM.replace("BODY", NOT_FOLLOWED[name].format("b")))
    reasons = {p.reason for k in report.kernels for n in k.launches if n.launch_span for p in n.open_pairs}
    assert any("may launch it beside other work, which is not followed" in reason for reason in reasons)


def test_a_launch_of_an_unknown_kernel(tmp_path: Path) -> None:
    body = """
      std::map<std::string, const void *> t; t["put"] = (const void *)put; int n = 1024; void *args[] = {&x, &n};
      cudaLaunchKernel(t[argv[1]], dim3(4), dim3(256), args, 0, a);
    """
    report = check(tmp_path, PROGRAM.replace("BODY", body))
    assert "a kernel that is not known here is launched, and may launch it again" in {
        pair.reason for k in report.kernels for n in k.launches for pair in n.open_pairs
    }
