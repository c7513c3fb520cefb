"""Scans of tiles and coalesced groups: running sums of numbers that are not negative give each lane a row of its own.

    int first = cg::exclusive_scan(tile, count);
    for (int j = 0; j < count; j++) out[first + j] = …;

Between the sums of two lanes lies at least what the lower one adds (exclusive), or the higher one (inclusive).
"""

from tests.checking import verdicts

SOURCE = """
#include <cooperative_groups.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

// safe: 1 of 1 pairs
__global__ void rows_of_a_warp(int *out, const int *in) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  int count = in[blockIdx.x * blockDim.x + threadIdx.x] & 3, first = cg::exclusive_scan(warp, count);
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * 96;
  for (int j = 0; j < count; j++) out[row + first + j] = j + threadIdx.x;  // cell
}

// safe: 1 of 1 pairs
__global__ void rows_that_end_at_the_sum(int *out, const int *in) {
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  unsigned count = in[blockIdx.x * blockDim.x + threadIdx.x] & 1;
  unsigned end = cg::inclusive_scan(tile, count, cg::plus<unsigned>());
  if (count) out[(blockIdx.x * blockDim.x + threadIdx.x) / 8 * 8 + end - 1] = threadIdx.x;  // cell
}

// safe: 1 of 1 pairs
__global__ void rows_of_two_parts_of_a_warp(int *out, const int *in) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  bool side = in[i] < 0;
  auto part = cg::binary_partition(warp, side);
  int first = cg::exclusive_scan(part, 1 + (in[i] & 1));
  out[i / 32 * 128 + side * 64 + first] = i;  // cell
}

// race: write cell, write cell; global; warp (data-dependent)
__global__ void one_row_of_two_parts_of_a_warp(int *out, const int *in) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  auto part = cg::binary_partition(warp, in[i] < 0);
  int first = cg::exclusive_scan(part, 1 + (in[i] & 1));
  out[i / 32 * 64 + first] = i;  // cell
}

// race: write cell, write cell; global; warp (data-dependent)
__global__ void rows_that_begin_at_the_sum(int *out, const int *in) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  int count = in[blockIdx.x * blockDim.x + threadIdx.x] & 3, first = cg::inclusive_scan(warp, count);
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * 128;
  for (int j = 0; j < count; j++) out[row + first + j] = j + threadIdx.x;  // cell
}

// race: write cell, write cell; global; warp (data-dependent)
__global__ void rows_longer_than_what_was_added(int *out, const int *in) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  int count = in[blockIdx.x * blockDim.x + threadIdx.x] & 3, first = cg::exclusive_scan(warp, count);
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * 128;
  for (int j = 0; j <= count; j++) out[row + first + j] = j + threadIdx.x;  // cell
}

// race: write cell, write cell; global; warp block (data-dependent)
__global__ void sums_of_parts_in_one_row(int *out, const int *in) {
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  int count = in[blockIdx.x * blockDim.x + threadIdx.x] & 3, first = cg::exclusive_scan(tile, count);
  for (int j = 0; j < count; j++) out[blockIdx.x * 256 + first + j] = j + threadIdx.x;  // cell
}

// race: write cell, write cell; global; warp block grid (data-dependent)
__global__ void counts_that_may_be_negative(int *out, const int *in) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  int count = in[blockIdx.x * blockDim.x + threadIdx.x] % 4, first = cg::exclusive_scan(warp, count);
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * 256 + 128;
  for (int j = 0; j < count; j++) out[row + first + j] = j + threadIdx.x;  // cell
}

// race: write cell, write cell; global; warp block grid (data-dependent)
__global__ void greatest_so_far(int *out, const int *in) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  int count = 1 + (in[blockIdx.x * blockDim.x + threadIdx.x] & 3);
  int end = cg::inclusive_scan(warp, count, cg::greater<int>());
  out[(blockIdx.x * blockDim.x + threadIdx.x) / 32 * 128 + end - 1] = threadIdx.x;  // cell
}

int *memory() {
  int *p;
  cudaMalloc(&p, 1 << 20);
  return p;
}
int main() {
  rows_of_a_warp<<<8, 256>>>(memory(), memory());
  rows_that_end_at_the_sum<<<8, 256>>>(memory(), memory());
  rows_of_two_parts_of_a_warp<<<8, 256>>>(memory(), memory());
  one_row_of_two_parts_of_a_warp<<<8, 256>>>(memory(), memory());
  rows_that_begin_at_the_sum<<<8, 256>>>(memory(), memory());
  rows_longer_than_what_was_added<<<8, 256>>>(memory(), memory());
  sums_of_parts_in_one_row<<<8, 256>>>(memory(), memory());
  counts_that_may_be_negative<<<8, 256>>>(memory(), memory());
  greatest_so_far<<<8, 256>>>(memory(), memory());
}
"""

test_kernel = verdicts(SOURCE)
