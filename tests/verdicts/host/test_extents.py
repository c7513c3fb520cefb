"""Allocations of known size: accesses stay within them, which bounds the indexes of threads."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check, verdicts

SOURCE = """
__device__ int table[64];

// safe: 1 of 1 pairs
__global__ void whole_grid_by_the_size_of_the_array() {
  table[blockIdx.x * 64 + threadIdx.x] = threadIdx.x;
}

// safe: 1 of 1 pairs
__global__ void no_more_threads_than_a_block_can_have(int *a) {
  int t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  a[blockIdx.x * 1024 + t] = blockIdx.x;
}

// race: write cell, write cell; global; grid
__global__ void one_thread_more_than_there_is_room_for(int *a) {
  int t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  a[blockIdx.x * 1023 + t] = blockIdx.x;  // cell
}

// race: write cell, write cell; global; grid (unless blockDim.x <= 64)
__global__ void grid_by_no_size(int *a) {
  a[blockIdx.x * 64 + threadIdx.x] = threadIdx.x;  // cell
}

// safe: 2 of 2 pairs
__global__ void the_other_access_bounds_the_block(int *out) {
  __shared__ int all[64];
  __shared__ int half[128];
  all[threadIdx.x] = 0;
  half[(threadIdx.x + 64) % 128] = threadIdx.x;
}

// race: write folded, write folded; shared; block
__global__ void no_access_bounds_the_block() {
  __shared__ int half[128];
  half[(threadIdx.x + 64) % 128] = threadIdx.x;  // folded
}

// race: write folded, write folded; shared; block
__global__ void an_access_under_a_condition_bounds_nothing(int n) {
  __shared__ int all[64];
  __shared__ int half[128];
  if (threadIdx.x < n) all[threadIdx.x] = 0;
  half[(threadIdx.x + 64) % 128] = threadIdx.x;  // folded
}

// race: read left, write right; shared; warp block
// race: write right, write right; shared; warp block
__global__ void an_access_of_another_iteration_bounds_nothing() {
  __shared__ int tree[512];
  for (int k = 0; k < 9; ++k)
    if (threadIdx.x < 256 >> k) {
      int v = tree[(2 * threadIdx.x + 1 << k) - 1];  // left
      tree[(2 * threadIdx.x + 2 << k) - 1] = v;  // right
    }
}

// safe: 2 of 2 pairs
__global__ void a_loop_bounds_the_block() {
  __shared__ int all[256];
  __shared__ int half[128];
  for (int k = 0; k < 4; ++k) all[4 * threadIdx.x + k] = 0;
  half[threadIdx.x % 128] = threadIdx.x;
}
"""

test_kernel = verdicts(SOURCE)


LOOKED_UP = """
__global__ void k(int *out, const int *at, int n) {
  for (int i = threadIdx.x - BEFORE; i < n; i += 256) out[at[i]] = i;
}
int main() {
  int h[300], *at, *out;
  for (int i = 0; i < FILLED; i++) h[i] = i;
  cudaMalloc(&at, sizeof(h)), cudaMalloc(&out, sizeof(h));
  cudaMemcpy(at, h, sizeof(h), cudaMemcpyHostToDevice);
  k<<<1, 256>>>(out, at, 301);
}
"""


@pytest.mark.parametrize(
    ("before", "filled", "outcome"),
    [(0, 300, Outcome.SAFE), (1, 300, Outcome.SAFE), (0, 299, Outcome.RACE), (1, 299, Outcome.RACE)],
)
def test_who_goes_where_an_array_says_has_looked_it_up_there(
    tmp_path: Path, before: int, filled: int, outcome: Outcome
) -> None:
    text = LOOKED_UP.replace("BEFORE", str(before)).replace("FILLED", str(filled))
    assert check(tmp_path, text).kernels[0].outcome is outcome
