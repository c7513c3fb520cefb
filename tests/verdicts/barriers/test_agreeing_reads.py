"""Barriers behind what threads have read from one place: all of them find the same there, or each something else.

The comments are those of test_rules.
"""

import pytest

from tests.checking import check
from tests.verdicts.barriers.test_divergence import expected, observed

SOURCE = """
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void grid_told_by_a_sum(int *sum, const int *x) {
  atomicAdd(sum, x[blockIdx.x * blockDim.x + threadIdx.x]);
  cg::this_grid().sync();
  if (*sum > 3) cg::this_grid().sync();
}

// open
__global__ void grid_told_by_a_sum_of_each_block(int *sum, const int *x) {
  atomicAdd(&sum[blockIdx.x], x[blockIdx.x * blockDim.x + threadIdx.x]);
  cg::this_grid().sync();
  if (sum[blockIdx.x] > 3) cg::this_grid().sync();
}

// HGRD002 grid branch here (data)
__global__ void grid_told_in_shared_memory(const int *x) {
  __shared__ int go;
  if (threadIdx.x == 0) go = x[blockIdx.x];
  __syncthreads();
  if (go > 3) cg::this_grid().sync();  // here
}

// HGRD002 grid branch here (data)
__global__ void grid_by_a_vote_of_the_block(const int *x) {
  if (__syncthreads_or(x[blockIdx.x])) cg::this_grid().sync();  // here
}

__global__ void grid_rounds_by_a_sum(float *sum, const float *x, float least) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float found = least + 1;
  for (int k = 0; k < 100 && found > least; k++) {
    cg::this_grid().sync();
    if (t == 0) *sum = 0;
    cg::this_grid().sync();
    atomicAdd(sum, x[t]);
    cg::this_grid().sync();
    found = *sum;
  }
}

// HGRD002 grid branch here (data)
// HGRD008 warp lock take
__global__ void grid_told_under_a_lock(int *lock, int *sum) {
  while (atomicCAS(lock, 0, 1) != 0) ;  // take
  __threadfence();
  int mine = *sum;
  *sum = mine + 1;
  __threadfence();
  atomicExch(lock, 0);
  if (mine > 3) cg::this_grid().sync();  // here
}

// HGRD002 block branch here (data)
// HGRD008 warp lock take
__global__ void block_told_under_a_lock(int *lock, int *sum) {
  while (atomicCAS(lock, 0, 1) != 0) ;  // take
  __threadfence();
  int mine = *sum;
  *sum = mine + 1;
  __threadfence();
  atomicExch(lock, 0);
  if (mine > 3) __syncthreads();  // here
}

// open: threads may differ in what they read after one of them has acquired a lock or flag
__global__ void told_by_a_delegate(unsigned *bump, const unsigned *scan) {
  __shared__ unsigned lock, part;
  if (!threadIdx.x) { lock = 0; part = atomicAdd(bump, 1); }
  __syncthreads();
  unsigned own = part;
  __syncthreads();
  while (lock == 0) {
    __syncthreads();
    if (!threadIdx.x && scan[own] > 3) lock = 1;
    __syncthreads();
  }
}

// HGRD002 block branch here iteration=0 (data)
__global__ void each_told_by_itself(unsigned *bump, const unsigned *scan) {
  __shared__ unsigned lock[1024], part;
  lock[threadIdx.x] = scan[threadIdx.x];
  if (!threadIdx.x) part = atomicAdd(bump, 1);
  __syncthreads();
  while (lock[threadIdx.x] == 0) {
    __syncthreads();  // here
    lock[threadIdx.x] = scan[threadIdx.x + 5];
  }
}
"""
EXPECTED = expected(SOURCE)


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    return observed(check(tmp_path_factory.mktemp("agreeing"), SOURCE), SOURCE)


@pytest.mark.parametrize("kernel", EXPECTED)
def test_barriers_of(kernel: str, said: dict[str, list[str]]):
    assert said[kernel] == EXPECTED[kernel]
