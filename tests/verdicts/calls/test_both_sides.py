"""Functions for the host and the device whose code for the device stands behind `__CUDA_ARCH__`."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check

PROGRAM = """
#include <cooperative_groups.h>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;
__host__ __device__ int both(int *p, float x) {
#ifdef __CUDA_ARCH__
  DEVICE
#else
  return x < 0 ? *p : 3;
#endif
}
__global__ void use(int *a, float x) { a[threadIdx.x] = both(a + 64, x); }
int main() {
  int *a, here = 1;
  cudaMalloc(&a, 1024);
  use<<<1, 64>>>(a, 1.f);
  return both(&here, 2.f);
}
"""
CALLS = (
    "return atomicAdd(p, 1);",
    "__syncthreads(); return threadIdx.x;",
    "return __float_as_int(x) + __popc(3) + __mul24(2, 3);",
    "return (int)__fmaf_rn(x, 2.f, __fsqrt_rn(x)) + (int)__dadd_rn(1.0, 2.0);",
    "return __shfl_xor_sync(~0u, 1, 2) + __ballot_sync(~0u, x > 0);",
    "__threadfence(); __syncwarp(); return __nv_atomic_load_n(p, 0, 0);",
    "return cg::tiled_partition<32>(cg::this_thread_block()).shfl_down(3, 1);",
)


@pytest.mark.parametrize("code", CALLS)
def test_their_code_for_the_device_is_understood(tmp_path: Path, code: str) -> None:
    (kernel,) = check(tmp_path, PROGRAM.replace("DEVICE", code)).kernels
    (launch,) = kernel.launches
    assert (kernel.outcome, launch.open_pairs, launch.findings) == (Outcome.SAFE, (), ())
    assert launch.pairs == launch.discharged > 0


def test_and_what_it_stores(tmp_path: Path) -> None:
    text = PROGRAM.replace("DEVICE", "*p = __float_as_int(x) + threadIdx.x; return 0;")
    (kernel,) = check(tmp_path, text).kernels
    line = 1 + text[: text.index("*p = ")].count("\n")
    assert [(f.first.span.line, f.second.span.line) for f in kernel.findings] == [(line, line)]
