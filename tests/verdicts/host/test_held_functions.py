"""Functions in objects of the library that launch kernels: what they put on streams is compared, too."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check

PROGRAM = """
#include <cstdio>
#include <cuda_runtime.h>
#include <functional>
#include <vector>
__global__ void put(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] += i; }
static void each(std::function<void(int)> f) { for (int i = 0; i < 4; i++) f(i); }
int main() {
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
    assert Outcome.UNKNOWN in {n.outcome for n in racing}
    assert all(n.outcome is Outcome.SAFE and n.open_pairs == () for n in clear)
