"""Matrix fragments of a warp: an element of an accumulator is one lane's, the others may be anyone's."""

from tests.checking import verdicts

SOURCE = """
#include <mma.h>
using namespace nvcuda;
typedef wmma::fragment<wmma::accumulator, 16, 16, 16, float> Sum;
typedef wmma::fragment<wmma::accumulator, 16, 16, 16, int> WholeSum;
typedef wmma::fragment<wmma::accumulator, 16, 16, 16, half> HalfSum;
typedef wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> Left;
typedef wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> Right;

// safe: 1 of 1 pairs
__global__ void a_tile_for_each_warp(float *out, int n) {
  Sum sum;
  int row = blockIdx.x * 16, column = (threadIdx.x / 32) * 16;
  wmma::fill_fragment(sum, 0.0f);
  if (column + 16 <= n) wmma::store_matrix_sync(out + row * n + column, sum, n, wmma::mem_row_major);
}

// race: write here, write here; global; grid
__global__ void a_tile_for_all_blocks(float *out, int n) {
  Sum sum;
  int column = (threadIdx.x / 32) * 16;
  wmma::fill_fragment(sum, 0.0f);
  if (column + 16 <= n) wmma::store_matrix_sync(out + column, sum, n, wmma::mem_row_major);  // here
}

// race: write here, write here; global; block
__global__ void tiles_that_overlap(float *out) {
  Sum sum;
  wmma::fill_fragment(sum, 0.0f);
  float *to = out + blockIdx.x * 4096 + (threadIdx.x / 32) * 240;
  wmma::store_matrix_sync(to, sum, 16, wmma::mem_row_major);  // here
}

// race: write here, write here; global; warp
__global__ void rows_that_overlap(float *out) {
  Sum sum;
  wmma::fill_fragment(sum, 0.0f);
  wmma::store_matrix_sync(out + (blockIdx.x * 2 + threadIdx.x / 32) * 256, sum, 8, wmma::mem_row_major);  // here
}

// safe: 1 of 1 pairs
__global__ void columns_of_warps(float *out) {
  Sum sum;
  wmma::fill_fragment(sum, 0.0f);
  wmma::store_matrix_sync(out + (blockIdx.x * 2 + threadIdx.x / 32) * 256, sum, 16, wmma::mem_col_major);
}

// safe: 2 of 2 pairs
__global__ void in_place(const half *a, const half *b, float *c, int rounds) {
  Sum sum;
  Left left;
  Right right;
  float *mine = c + (blockIdx.x * 2 + threadIdx.x / 32) * 256;
  for (int r = 0; r < rounds; r++) {
    wmma::load_matrix_sync(sum, mine, 16, wmma::mem_row_major);
    wmma::load_matrix_sync(left, a + r * 256, 16);
    wmma::load_matrix_sync(right, b + r * 256, 16);
    wmma::mma_sync(sum, left, right, sum);
    wmma::store_matrix_sync(mine, sum, 16, wmma::mem_row_major);
  }
}

// race: read load, write store; global; warp
__global__ void in_place_and_turned(float *c) {
  Sum sum;
  float *mine = c + (blockIdx.x * 2 + threadIdx.x / 32) * 256;
  wmma::load_matrix_sync(sum, mine, 16, wmma::mem_row_major);  // load
  wmma::store_matrix_sync(mine, sum, 16, wmma::mem_col_major);  // store
}

// race: read load, write store; global; warp
__global__ void in_place_as_another_type(float *c) {
  Sum sum;
  WholeSum whole;
  float *mine = c + (blockIdx.x * 2 + threadIdx.x / 32) * 256;
  wmma::load_matrix_sync(sum, mine, 16, wmma::mem_row_major);  // load
  wmma::fill_fragment(whole, 0);
  wmma::store_matrix_sync((int *)mine, whole, 16, wmma::mem_row_major);  // store
}

// safe: 3 of 3 pairs
__global__ void read_by_the_warp(float *out) {
  __shared__ float stage[2][256];
  Sum sum;
  float *mine = stage[threadIdx.x / 32];
  wmma::fill_fragment(sum, 0.0f);
  wmma::store_matrix_sync(mine, sum, 16, wmma::mem_row_major);
  __syncwarp();
  out[blockIdx.x * 64 + threadIdx.x] = mine[threadIdx.x % 32];
}

// race: read read, write store; shared; warp
__global__ void read_by_the_warp_at_once(float *out) {
  __shared__ float stage[2][256];
  Sum sum;
  float *mine = stage[threadIdx.x / 32];
  wmma::fill_fragment(sum, 0.0f);
  wmma::store_matrix_sync(mine, sum, 16, wmma::mem_row_major);  // store
  out[blockIdx.x * 64 + threadIdx.x] = mine[threadIdx.x % 32];  // read
}

// race: read load, write store; shared; warp
__global__ void used_at_once(float *out) {
  __shared__ half stage[2][256];
  HalfSum sum, next;
  Left left;
  Right right;
  half *mine = stage[threadIdx.x / 32];
  wmma::fill_fragment(sum, __float2half(0.0f));
  wmma::fill_fragment(right, __float2half(1.0f));
  wmma::store_matrix_sync(mine, sum, 16, wmma::mem_row_major);  // store
  wmma::load_matrix_sync(left, mine, 16);  // load
  wmma::mma_sync(next, left, right, sum);
  out[blockIdx.x * 64 + threadIdx.x] = __half2float(next.x[0]);
}

// open: a call of load_matrix_sync, whose body is not known
__global__ void of_four_bits(const unsigned *a, int *out) {
  wmma::fragment<wmma::matrix_a, 8, 8, 32, wmma::experimental::precision::u4, wmma::row_major> left;
  wmma::load_matrix_sync(left, a, 32);
  out[blockIdx.x * 64 + threadIdx.x] = 0;
}
"""

test_kernel = verdicts(SOURCE, block_dim=(64, 1, 1), grid_dim=(16, 1, 1))
