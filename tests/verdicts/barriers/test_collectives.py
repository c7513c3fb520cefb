"""CUB's reductions and scans: all threads of a block have come to them before any goes on."""

import pytest

from hgrd.findings.model import Report
from tests.checking import cases, check, expected, observed

SOURCE = """
#include <cub/cub.cuh>

// safe: 4 of 4 pairs
__global__ void totals(const float *a, float *out) {
  typedef cub::BlockReduce<float, 256> Reduce;
  __shared__ typename Reduce::TempStorage storage;
  float sum = Reduce(storage).Sum(a[threadIdx.x] - out[blockIdx.x]);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

// safe: 4 of 4 pairs
__global__ void of_a_plane(const float *a, float *out) {
  typedef cub::BlockReduce<float, 16, cub::BLOCK_REDUCE_RAKING, 4> Reduce;
  __shared__ typename Reduce::TempStorage storage;
  float most = Reduce(storage).Reduce(a[threadIdx.x] - out[blockIdx.x], cub::Max());
  if (threadIdx.x == 0 && threadIdx.y == 0) out[blockIdx.x] = most;
}

// safe: 4 of 4 pairs
__global__ void scanned(const int *a, int *out) {
  typedef cub::BlockScan<int, 64> Scan;
  __shared__ typename Scan::TempStorage storage;
  int sum, all;
  Scan(storage).ExclusiveSum(a[threadIdx.x] - out[blockIdx.x], sum, all);
  if (threadIdx.x == 0) out[blockIdx.x] = all + sum;
}

// race: read before, write after; global; warp block
__global__ void without(const float *a, float *out) {
  float sum = a[threadIdx.x] - out[blockIdx.x];  // before
  if (threadIdx.x == 0) out[blockIdx.x] = sum;  // after
}

// race: read before, write after; global; warp
__global__ void within_a_warp(const float *a, float *out) {
  typedef cub::BlockReduce<float, 32> Reduce;
  __shared__ typename Reduce::TempStorage storage;
  float sum = Reduce(storage).Sum(a[threadIdx.x] - out[blockIdx.x]);  // before
  if (threadIdx.x == 0) out[blockIdx.x] = sum;  // after
}

// race: read before, write after; global; warp
__global__ void of_a_warp(const float *a, float *out) {
  typedef cub::WarpReduce<float> Reduce;
  __shared__ typename Reduce::TempStorage storage;
  float sum = Reduce(storage).Sum(a[threadIdx.x] - out[blockIdx.x]);  // before
  if (threadIdx.x == 0) out[blockIdx.x] = sum;  // after
}

int main() {
  float *a, *b;
  int *c, *d;
  cudaMalloc(&a, 4096);
  cudaMalloc(&b, 4096);
  cudaMalloc(&c, 4096);
  cudaMalloc(&d, 4096);
  totals<<<4, 256>>>(a, b);
  of_a_plane<<<4, dim3(16, 4)>>>(a, b);
  scanned<<<4, 64>>>(c, d);
  without<<<4, 256>>>(a, b);
  within_a_warp<<<4, 32>>>(a, b);
  of_a_warp<<<4, 32>>>(a, b);
}
"""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    return check(tmp_path_factory.mktemp("collectives"), SOURCE)


@pytest.mark.parametrize("kernel", cases(SOURCE))
def test_kernel(report: Report, kernel: str):
    assert observed(report, SOURCE)[kernel] == expected(SOURCE)[kernel]


def test_the_constructor_is_no_barrier(report: Report):
    """One of the object, one of the collective: only the second one synchronises."""
    assert [kernel.launches[0].accesses for kernel in report.kernels[:3]] == [5, 5, 5]
    assert [kernel.divergences for kernel in report.kernels] == [()] * 6
