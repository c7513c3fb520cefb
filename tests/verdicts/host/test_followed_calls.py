"""Functions in objects of `std::function`: their launches get the arguments of the calls of these objects.

A race at numbers that only a call that is not followed could pass is conditional.
"""

from pathlib import Path

import pytest

from hgrd.findings.model import Confidence, Outcome
from tests.checking import check, decided

PROGRAM = """
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>
__global__ void scan(int *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int d = 1; d < n; d <<= 1) {
    int v = (i < n && i >= d) ? a[i - d] : 0;
    __syncthreads();
    if (i < n) a[i] += v;
    __syncthreads();
  }
}
using Op = std::function<void(int *, int)>;
void go(int *a, int n) { int t = std::min((n + 31) / 32 * 32, 1024); scan<<<(n + t - 1) / t, t>>>(a, n); }
void other(int *a, int n) {}
void outside(const Op &op);
void apply(const Op &op, int *d, int n) { op(d, n); }
struct Task { Op op; int n; };
struct Runner { Op op; int *d; int n; void run() { op(d, n); } };
struct Longer { void (*f)(int *, int); void operator()(int *d, int n) const { f(d, 4 * n); } };
DECLARED
int main(int argc, char **argv) {
  int n = atoi(argv[1]), m = atoi(argv[2]), *d;
  if (n < 1 || n > 1024 || m < 1) return 2;  // one block is enough for n, not for m
  cudaMalloc(&d, 1 << 24);
  BODY
}
"""
HELD = "[](int *a, int n) { go(a, n); }"


def found(folder: Path, body: str, declared: str = "") -> tuple[Outcome, set[Confidence], tuple[int, int]]:
    text = PROGRAM.replace("DECLARED", declared).replace("BODY", body.replace("HELD", HELD))
    report = check(folder, text)
    (kernel,) = report.kernels
    return kernel.outcome, {f.confidence for f in kernel.findings}, decided(report)


@pytest.mark.parametrize(
    "body",
    [
        "Op op = HELD; op(d, n);",
        "Op op = go; op(d, n);",
        "Op op = HELD; apply(op, d, n);",
        "Op op = HELD; for (int k = n; k > 0; k /= 2) op(d, k);",
        "std::vector<Op> t; t.push_back(HELD); for (auto &f : t) f(d, n);",
        "std::vector<Task> t; t.push_back(Task{HELD, m}); for (auto &x : t) x.op(d, n);",
        "Runner r{HELD, d, n}; r.run();",
        'std::unordered_map<std::string, Op> t{{"a", HELD}, {"b", other}};'
        "auto it = t.find(argv[3]); if (it != t.end()) it->second(d, n);",
    ],
)
def test_all_calls_are_followed(tmp_path: Path, body: str) -> None:
    assert found(tmp_path, body) == (Outcome.SAFE, set(), (3, 3))


@pytest.mark.parametrize(
    "body",
    [
        "Op op = HELD; op(d, m);",
        "Op op = HELD, q = other; q = op; op(d, n); q(d, m);",
        "Op op = HELD, q = other; std::swap(op, q); q(d, m);",
        "Op op = other; for (int r = 0; r < m; r++) { op(d, m); op = HELD; }",
        "Op op = HELD; apply(op, d, n); apply(op, d, m);",
        "Runner r{HELD, d, m}; r.op(d, n); r.run();",
        "Op op = go; op(d, n); void (*p)(int *, int) = go; p(d, m);",
        "auto l = HELD; l(d, m); Op op = l; op(d, n);",
        "std::function<void(int *, long)> op = HELD; op(d, m);",
        "std::function<void(int *)> op = [](int *a, int n = 5000) { go(a, n); }; op(d);",
        "std::function<void(int *, int &)> op = [](int *a, int &n) { go(a, n); n = 5000; }; op(d, n); op(d, n);",
        "std::function<void(int *)> op = [](int *a) { static int q = 1; go(a, q); q += 5000; }; op(d); op(d);",
        "Op op = HELD; if (m > 5) { op(d, m); return 1; } op(d, n);",
    ],
)
def test_a_call_with_another_number(tmp_path: Path, body: str) -> None:
    outcome, confidences, _ = found(tmp_path, body)
    assert (outcome, confidences) == (Outcome.RACE, {Confidence.DEFINITE})


@pytest.mark.parametrize(
    ("body", "declared"),
    [
        ("Op op = HELD; op(d, n); outside(op);", ""),
        ("Op op = HELD; op(d, n); std::thread t(op, d, m); t.join();", ""),
        ("Op op = HELD; op(d, n); std::thread t([&] { op(d, m); }); t.join();", ""),
        ("Op op = HELD; op(d, n); auto f = std::bind(op, d, m); f();", ""),
        ("Op op = HELD; op(d, n); std::invoke(op, d, m);", ""),
        ("Op op = HELD; std::function<void(int)> f = [=](int x) { op(d, x); }; op(d, n); f(m);", ""),
        ("Op op = Longer{go}; op(d, n);", ""),
        ("Op op = [p = &go](int *a, int n) { p(a, 4 * n); }; op(d, n);", ""),
        ("Late r{HELD, d, m}; r.op(d, n);", "struct Late { Op op; int *d, n; ~Late() { op(d, n); } };"),
        ("std::function<void(int *)> op = [q = 1](int *a) mutable { go(a, q); q += 5000; }; op(d); op(d);", ""),
    ],
)
def test_calls_that_are_not_followed(tmp_path: Path, body: str, declared: str) -> None:
    outcome, confidences, _ = found(tmp_path, body, declared)
    assert (outcome, confidences) == (Outcome.RACE, {Confidence.CONDITIONAL})
