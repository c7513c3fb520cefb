"""Ranks and sizes of cooperative groups in subscripts."""

from tests.checking import verdicts

SOURCE = """
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// safe: 1 of 1 pairs
__global__ void a_row_for_each_tile(int *rows, int width) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  int row = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank();
  for (int j = warp.thread_rank(); j < 64; j += warp.size()) rows[row * 64 + j] = j;
}

// race: write all, write all; global; grid
__global__ void a_row_less(int *rows, int width) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  int row = blockIdx.x * (warp.meta_group_size() - 1) + warp.meta_group_rank();
  for (int j = warp.thread_rank(); j < 64; j += warp.size()) rows[row * 64 + j] = j + blockIdx.x;  // all
}

void run(int *rows, int blocks, int threads) {
  a_row_for_each_tile<<<blocks, threads>>>(rows, 64);
  a_row_less<<<blocks, threads>>>(rows, 64);
}

// open: write all, write all; global; warp block grid: it depends on values that are not known: size()
__global__ void of_any_size(int *rows) {
  cg::coalesced_group group = cg::tiled_partition(cg::coalesced_threads(), 4);
  rows[threadIdx.x * group.size()] = threadIdx.x;  // all
}
"""

test_groups = verdicts(SOURCE)
