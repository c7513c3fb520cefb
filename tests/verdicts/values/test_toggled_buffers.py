"""Buffers that are toggled by `^ 1`: the one that is read is never the one that is written."""

from pathlib import Path

import pytest

from tests.checking import cases, check, expected, observed

TEXT = """
#include <cooperative_groups.h>
#include <cuda_runtime.h>
struct Both { float *u[2]; };

// safe: 6 of 6 pairs
__global__ void by_members(Both b, int n, int rounds) {
  auto grid = cooperative_groups::this_grid();
  int i = grid.thread_rank();
  for (int it = 0; it < rounds; ++it) {
    const float *from = b.u[it & 1];
    float *to = b.u[(it & 1) ^ 1];
    if (i > 0 && i < n) to[i] = from[i - 1] + from[i];
    grid.sync();
  }
}

// race: read next, write put; global; warp block grid
__global__ void the_same_one(Both b, int n, int rounds) {
  auto grid = cooperative_groups::this_grid();
  int i = grid.thread_rank();
  for (int it = 0; it < rounds; ++it) {
    const float *from = b.u[(it & 1) ^ 1];
    float *to = b.u[(it & 1) ^ 1];
    float v = 0;
    if (i > 0 && i < n) v = from[i - 1];  // next
    if (i > 0 && i < n) to[i] = v;  // put
    grid.sync();
  }
}
int main() {
  Both b{};
  int n = 1 << 16;
  cudaMalloc(&b.u[0], n * sizeof(float));
  cudaMalloc(&b.u[1], n * sizeof(float));
  int rounds = 30;
  void *args[] = {&b, &n, &rounds};
  cudaLaunchCooperativeKernel((void *)by_members, dim3(64), dim3(128), args);
  cudaLaunchCooperativeKernel((void *)the_same_one, dim3(64), dim3(128), args);
}
"""


@pytest.mark.parametrize("name", cases(TEXT))
def test_kernel(name: str, tmp_path: Path) -> None:
    assert observed(check(tmp_path, TEXT), TEXT)[name] == expected(TEXT)[name]
