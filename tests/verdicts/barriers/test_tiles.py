"""What the threads of a warp or tile get alike: votes, reductions, what a shuffle takes from one lane."""

from tests.checking import verdicts

SOURCE = """
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

// safe: 0 of 1 pairs
// note: write sum, write sum; shared; warp
__global__ void a_sum_by_all_threads_of_a_tile(float *in) {
  __shared__ float sums[32];
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  float sum = cg::reduce(warp, in[blockIdx.x * blockDim.x + threadIdx.x], cg::plus<float>());
  sums[threadIdx.x / 32] = sum + 1;  // sum
}

// race: write sum, write sum; shared; warp
__global__ void a_sum_by_all_threads_of_two_tiles(float *in) {
  __shared__ float sums[32];
  auto half = cg::tiled_partition<16>(cg::this_thread_block());
  float sum = cg::reduce(half, in[blockIdx.x * blockDim.x + threadIdx.x], cg::plus<float>());
  sums[threadIdx.x / 32] = sum + 1;  // sum
}

// race: write sum, write sum; shared; warp
__global__ void a_part_of_a_sum(float *in) {
  __shared__ float sums[32];
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  float sum = cg::inclusive_scan(warp, in[blockIdx.x * blockDim.x + threadIdx.x], cg::plus<float>());
  sums[threadIdx.x / 32] = sum + 1;  // sum
}

// race: write sum, write sum; shared; warp block
__global__ void a_sum_by_all_tiles(int *in) {
  __shared__ int total;
  total = __reduce_add_sync(0xffffffff, in[blockIdx.x * blockDim.x + threadIdx.x]);  // sum
}

// safe: 1 of 1 pairs
__global__ void a_row_that_the_first_lane_has_drawn(int *rows, const int *first) {
  int row = __shfl_sync(0xffffffff, first[threadIdx.x], 0);
  if (blockIdx.x == 0 && threadIdx.x < 32) rows[row + threadIdx.x] = 1;
}

// race: write row, write row; global; warp (data-dependent)
__global__ void a_row_that_each_lane_has_drawn(int *rows, const int *first) {
  int row = __shfl_sync(0xffffffff, first[threadIdx.x], threadIdx.x ^ 1);
  if (blockIdx.x == 0 && threadIdx.x < 32) rows[row + threadIdx.x] = threadIdx.x;  // row
}

// race: write row, write row; global; warp (data-dependent)
__global__ void a_row_of_a_lane_that_each_has_read(int *rows, const int *first, const int *lane) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  int row = warp.shfl(first[threadIdx.x], lane[threadIdx.x]);
  if (blockIdx.x == 0 && threadIdx.x < 32) rows[row + threadIdx.x] = threadIdx.x;  // row
}

// race: write row, write row; global; warp (data-dependent)
__global__ void a_row_for_half_a_warp(int *rows, const int *first) {
  int row = __shfl_sync(0xffffffff, first[threadIdx.x], 0, 16);
  if (blockIdx.x == 0 && threadIdx.x < 32) rows[row + threadIdx.x] = threadIdx.x;  // row
}

// safe: 1 of 1 pairs
__global__ void a_row_for_half_a_warp_each(int *rows, const int *first) {
  int row = __shfl_sync(0xffffffff, first[threadIdx.x], 0, 16);
  if (blockIdx.x == 0 && threadIdx.x < 16) rows[row + threadIdx.x] = threadIdx.x;
}

// race: write row, write row; global; warp (data-dependent)
__global__ void votes_of_different_lanes(int *rows, unsigned *masks) {
  unsigned mask = masks[threadIdx.x];
  unsigned row = __ballot_sync(mask, threadIdx.x % 3) % 1024;
  if (blockIdx.x == 0 && threadIdx.x < 32) rows[row + threadIdx.x] = threadIdx.x;  // row
}

// safe: 1 of 1 pairs
__global__ void votes_of_all_lanes(int *rows) {
  unsigned row = __ballot_sync(0xffffffff, threadIdx.x % 3) % 1024;
  if (blockIdx.x == 0 && threadIdx.x < 32) rows[row + threadIdx.x] = threadIdx.x;
}

// race: write row, write row; global; warp (data-dependent)
__global__ void a_row_of_another_round(int *rows, const int *first, int n) {
  for (int i = 0; i < n; ++i) {
    int row = __shfl_sync(0xffffffff, first[i * 32 + threadIdx.x], i);
    if (blockIdx.x == 0 && threadIdx.x < 32) rows[row + threadIdx.x] = threadIdx.x;  // row
  }
}

// safe: 1 of 1 pairs
__global__ void a_row_of_each_round(int *rows, const int *first, int n) {
  for (int i = 0; i < n; ++i) {
    int row = __shfl_sync(0xffffffff, first[i * 32 + threadIdx.x], i);
    if (blockIdx.x == 0 && threadIdx.x < 32) rows[row + threadIdx.x] = threadIdx.x;
    __syncwarp();
  }
}

// safe: 1 of 1 pairs
__global__ void one_of_two_by_a_vote(int *rows, const int *in) {
  int some = __syncthreads_or(in[blockIdx.x * blockDim.x + threadIdx.x]);
  rows[2 * (blockIdx.x * blockDim.x + threadIdx.x) + some] = 1;
}

// race: write row, write row; global; grid (data-dependent)
__global__ void further_by_a_count(int *rows, const int *in) {
  int some = __syncthreads_count(in[blockIdx.x * blockDim.x + threadIdx.x]);
  rows[2 * (blockIdx.x * blockDim.x + threadIdx.x) + some] = threadIdx.x;  // row
}

// safe: 1 of 1 pairs
__global__ void a_warp_apart_from_another(int *rows, const int *in) {
  int some = __any_sync(0xffffffff, in[threadIdx.x]);
  if (blockIdx.x == 0) rows[2 * threadIdx.x + some] = 1;
}

// race: write row, write row; global; block (data-dependent)
__global__ void a_warp_into_another(int *rows, const int *in) {
  int some = __popc(__ballot_sync(0xffffffff, in[threadIdx.x]));
  if (blockIdx.x == 0) rows[2 * threadIdx.x + some] = threadIdx.x;  // row
}
"""

test_kernel = verdicts(SOURCE)
