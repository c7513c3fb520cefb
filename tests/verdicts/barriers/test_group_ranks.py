"""Ranks of groups: those of a tile of a tile count within the tile that it is a part of."""

from tests.checking import verdicts

SOURCE = """
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// safe: 1 of 1 pairs
__global__ void tiles_of_the_block(int *out) {
  __shared__ int part[64];
  auto quad = cg::tiled_partition<4>(cg::this_thread_block());
  if (quad.thread_rank() == 0) part[quad.meta_group_rank()] = quad.meta_group_size();
}

// race: write part, write part; shared; block
__global__ void tiles_of_a_warp(int *out) {
  __shared__ int part[64];
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  auto quad = cg::tiled_partition<4>(warp);
  if (quad.thread_rank() == 0) part[quad.meta_group_rank()] = threadIdx.x;  // part
}

// safe: 1 of 1 pairs
__global__ void tiles_of_a_warp_in_rows(int *out) {
  __shared__ int part[64];
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  auto quad = cg::tiled_partition<4>(warp);
  if (quad.thread_rank() == 0)
    part[warp.meta_group_rank() * quad.meta_group_size() + quad.meta_group_rank()] = threadIdx.x;
}

// open: write part, write part; shared; warp block: it depends on values that are not known: meta_group_rank()
__global__ void tiles_of_something(int *out) {
  __shared__ int part[64];
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  cg::thread_block_tile<4> quad = cg::tiled_partition<4>(warp);
  if (quad.thread_rank() == 0) part[quad.meta_group_rank()] = threadIdx.x;  // part
}

int main() {
  int *a;
  cudaMalloc(&a, 1 << 20);
  tiles_of_the_block<<<4, 256>>>(a);
  tiles_of_a_warp<<<4, 256>>>(a);
  tiles_of_a_warp_in_rows<<<4, 256>>>(a);
  tiles_of_something<<<4, 256>>>(a);
}
"""

NO_TILES_OF_TILES = """
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__device__ int number(cg::thread_block_tile<8> tile) { return tile.meta_group_rank(); }

// safe: 1 of 1 pairs
__global__ void told_by_no_type(int *out) {
  __shared__ int part[32];
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  if (tile.thread_rank() == 0) part[number(tile)] = threadIdx.x;
}

int main() {
  int *a;
  cudaMalloc(&a, 1 << 20);
  told_by_no_type<<<4, 256>>>(a);
}
"""

test_kernel = verdicts(SOURCE)
test_no_tiles_of_tiles = verdicts(NO_TILES_OF_TILES)
