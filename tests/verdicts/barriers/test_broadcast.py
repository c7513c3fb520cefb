"""Values that all threads of a block read from one place between the same two barriers are equal."""

from tests.checking import verdicts

GRID = """
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// safe: 9 of 9 pairs
__global__ void rounds_of_the_grid(float *sum, const float *x, int n, float least) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t < n) atomicAdd(sum, x[t]);
  cg::this_grid().sync();
  float found = *sum;
  for (int k = 0; k < 100 && found > least; k++) {
    cg::this_grid().sync();
    if (t == 0) *sum = 0;
    cg::this_grid().sync();
    if (t < n) atomicAdd(sum, x[t]);
    cg::this_grid().sync();
    found = *sum;
  }
}

// race: read before, write zero; global; warp block grid (data-dependent)
// race: read last, write zero; global; warp block grid (data-dependent)
__global__ void rounds_overtaken(float *sum, const float *x, int n, float least) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t < n) atomicAdd(sum, x[t]);
  cg::this_grid().sync();
  float found = *sum;  // before
  for (int k = 0; k < 100 && found > least; k++) {
    if (t == 0) *sum = 0;  // zero
    cg::this_grid().sync();
    if (t < n) atomicAdd(sum, x[t]);
    cg::this_grid().sync();
    found = *sum;  // last
  }
}
"""

test_kernel_of_a_grid = verdicts(GRID)

SOURCE = """
// safe: 8 of 8 pairs
__global__ void named_by_a_float(int *out, const float *in) {
  __shared__ float best[256];
  int t = threadIdx.x;
  best[t] = in[t];
  __syncthreads();
  if (t == 0) best[0] = best[17] + 1;
  __syncthreads();
  if (t == (int)best[0]) out[blockIdx.x] = t;
}

// safe: 10 of 10 pairs
__global__ void stride_by_a_float_of_the_round(float *out, const float *in) {
  __shared__ float sums[256];
  int t = threadIdx.x;
  sums[t] = in[t];
  __syncthreads();
  for (int i = 1; i <= 4; i++) {
    int stride = exp2f(i);
    if (t % stride == 0) sums[t] = sums[t] + sums[t + stride / 2];
    __syncthreads();
  }
  out[t] = sums[t];
}

// race: read other, write sum; shared; warp block (data-dependent)
__global__ void stride_by_a_float_of_each(float *out, const float *in, const float *length) {
  __shared__ float sums[256];
  int t = threadIdx.x;
  sums[t] = in[t];
  __syncthreads();
  for (int i = 1; i <= 4; i++) {
    int stride = exp2f(length[t] + i);
    float both = sums[t + stride / 2];  // other
    if (t % stride == 0) sums[t] = both;  // sum
    __syncthreads();
  }
  out[t] = sums[t];
}

// race: write mine, write mine; global; warp block (data-dependent)
__global__ void named_by_a_float_of_its_own(int *out, const float *in) {
  __shared__ float best[256];
  int t = threadIdx.x;
  best[t] = in[t];
  __syncthreads();
  if (t == 0) best[0] = best[17] + 1;
  __syncthreads();
  if (t == (int)best[t]) out[blockIdx.x] = t;  // mine
}

// safe: 3 of 3 pairs
__global__ void base_for_all(int *out, int *in) {
  __shared__ int base;
  if (threadIdx.x == 0) base = in[blockIdx.x];
  __syncthreads();
  out[base + threadIdx.x] = 1;
}

// race: write slot, write slot; global; warp block (data-dependent)
__global__ void base_of_each(int *out, int *in) {
  __shared__ int base[1024];
  base[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[base[threadIdx.x] + threadIdx.x] = threadIdx.x;  // slot
}

// safe: 3 of 3 pairs
__global__ void base_of_each_round(int *out, int *in, int n) {
  __shared__ int base;
  for (int i = 0; i < n; i++) {
    if (threadIdx.x == 0) base = in[i];
    __syncthreads();
    out[base + threadIdx.x] = i;
    __syncthreads();
  }
}

// race: read use, write base; shared; warp block
__global__ void base_overtaken(int *out, int *in, int n) {
  __shared__ int base;
  for (int i = 0; i < n; i++) {
    if (threadIdx.x == 0) base = in[i];  // base
    __syncthreads();
    out[threadIdx.x] = base;  // use
  }
}

// safe: 3 of 3 pairs
__global__ void base_before_another_barrier(int *out, int *in) {
  __shared__ int base;
  if (threadIdx.x == 0) base = in[blockIdx.x];
  __syncthreads();
  int first = base;
  __syncthreads();
  out[first + threadIdx.x] = threadIdx.x;
}

// race: write slot, write slot; global; warp block (data-dependent)
__global__ void base_of_each_before_another_barrier(int *out, int *in) {
  __shared__ int base[1024];
  base[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  int first = base[threadIdx.x];
  __syncthreads();
  out[first + threadIdx.x] = threadIdx.x;  // slot
}

// safe: 6 of 6 pairs
__global__ void barrier_if_the_block_agrees(int *data) {
  __shared__ int tile[1024];
  __shared__ int flag;
  if (threadIdx.x == 0) flag = data[0];
  __syncthreads();
  if (flag > 0) {
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    data[threadIdx.x + 1] = tile[blockDim.x - 1 - threadIdx.x];
  }
}
"""

test_kernel = verdicts(SOURCE, grid_dim=(1, 1, 1))
