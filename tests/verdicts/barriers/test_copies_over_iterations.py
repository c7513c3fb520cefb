"""Asynchronous copies that end in a later iteration than they begin in: buffers that are filled ahead."""

from tests.checking import verdicts

SOURCE = """
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/pipeline>
#include <cuda_pipeline.h>
namespace cg = cooperative_groups;

// safe: 55 of 55 pairs
__global__ void two_buffers(const int *in, int *out, int n) {
  __shared__ int s[2][128];
  int t = threadIdx.x, sum = 0;
  __pipeline_memcpy_async(&s[0][t], &in[t], 4);
  __pipeline_commit();
  for (int i = 0; i < n; ++i) {
    if (i + 1 < n) {
      __pipeline_memcpy_async(&s[(i + 1) % 2][t], &in[(i + 1) * 128 + t], 4);
      __pipeline_commit();
      __pipeline_wait_prior(1);
    } else {
      __pipeline_wait_prior(0);
    }
    __syncthreads();
    sum += s[i % 2][127 - t];
    __syncthreads();
  }
  out[blockIdx.x * 128 + t] = sum;
}

// race: read take, write next; shared; block
__global__ void filled_while_it_is_read(const int *in, int *out, int n) {
  __shared__ int s[2][128];
  int t = threadIdx.x, sum = 0;
  __pipeline_memcpy_async(&s[0][t], &in[t], 4);  // first
  __pipeline_commit();
  for (int i = 0; i < n; ++i) {
    if (i + 1 < n) {
      __pipeline_memcpy_async(&s[(i + 1) % 2][t], &in[(i + 1) * 128 + t], 4);  // next
      __pipeline_commit();
      __pipeline_wait_prior(1);
    } else {
      __pipeline_wait_prior(0);
    }
    __syncthreads();
    sum += s[i % 2][127 - t];  // take
  }
  out[blockIdx.x * 128 + t] = sum;
}

// race: read take, write next; shared; block
// race: read take, write first; shared; block
__global__ void last_one_not_waited_for(const int *in, int *out, int n) {
  __shared__ int s[2][128];
  int t = threadIdx.x, sum = 0;
  __pipeline_memcpy_async(&s[0][t], &in[t], 4);  // first
  __pipeline_commit();
  for (int i = 0; i < n; ++i) {
    if (i + 1 < n) {
      __pipeline_memcpy_async(&s[(i + 1) % 2][t], &in[(i + 1) * 128 + t], 4);  // next
      __pipeline_commit();
    }
    __pipeline_wait_prior(1);
    __syncthreads();
    if (t < 64) sum += s[i % 2][127 - t];  // take
    __syncthreads();
  }
  out[blockIdx.x * 128 + t] = sum;
}

// safe: 66 of 66 pairs
__global__ void three_stages(const int *in, int *out, int n) {
  __shared__ int s[3][128];
  int t = threadIdx.x, sum = 0;
  for (int i = 0; i < 2; ++i) {
    __pipeline_memcpy_async(&s[i][t], &in[i * 128 + t], 4);
    __pipeline_commit();
  }
  for (int i = 0; i < n; ++i) {
    __pipeline_wait_prior(1);
    __syncthreads();
    int k = i + 2;
    if (k < n) __pipeline_memcpy_async(&s[k % 3][t], &in[k * 128 + t], 4);
    __pipeline_commit();
    sum += s[i % 3][127 - t];
  }
  out[blockIdx.x * 128 + t] = sum;
}

// open: read take, write first; shared; block: it depends on values that are not known: i
// open: read take, write next; shared; block: it depends on values that are not known: i
// race: read take, write next; shared; block
// race: read take, write first; shared; block
__global__ void three_stages_waited_for_one_later(const int *in, int *out, int n) {
  __shared__ int s[3][128];
  int t = threadIdx.x, sum = 0;
  for (int i = 0; i < 2; ++i) {
    __pipeline_memcpy_async(&s[i][t], &in[i * 128 + t], 4);  // first
    __pipeline_commit();
  }
  for (int i = 0; i < n; ++i) {
    __pipeline_wait_prior(2);
    __syncthreads();
    int k = i + 2;
    if (k < n) __pipeline_memcpy_async(&s[k % 3][t], &in[k * 128 + t], 4);  // next
    __pipeline_commit();
    if (t < 64) sum += s[i % 3][127 - t];  // take
  }
  out[blockIdx.x * 128 + t] = sum;
}

// safe: 55 of 55 pairs
__global__ void by_a_pipeline(const int *in, int *out, int n) {
  __shared__ int s[2][128];
  int t = threadIdx.x, sum = 0, stage = 0;
  auto pipe = cuda::make_pipeline();
  pipe.producer_acquire();
  cuda::memcpy_async(&s[0][t], &in[t], sizeof(int), pipe);
  pipe.producer_commit();
  for (int i = 0; i < n; ++i) {
    if (i + 1 < n) {
      pipe.producer_acquire();
      cuda::memcpy_async(&s[stage ^ 1][t], &in[(i + 1) * 128 + t], cuda::aligned_size_t<4>(4), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    __syncthreads();
    sum += s[stage][127 - t];
    __syncthreads();
    pipe.consumer_release();
    stage ^= 1;
  }
  out[blockIdx.x * 128 + t] = sum;
}

// race: read take, write next; shared; block
// race: read take, write first; shared; block
__global__ void by_a_pipeline_without_barriers(const int *in, int *out, int n) {
  __shared__ int s[2][128];
  int t = threadIdx.x, sum = 0, stage = 0;
  auto pipe = cuda::make_pipeline();
  pipe.producer_acquire();
  cuda::memcpy_async(&s[0][t], &in[t], sizeof(int), pipe);  // first
  pipe.producer_commit();
  for (int i = 0; i < n; ++i) {
    if (i + 1 < n) {
      pipe.producer_acquire();
      cuda::memcpy_async(&s[stage ^ 1][t], &in[(i + 1) * 128 + t], sizeof(int), pipe);  // next
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum += s[stage][127 - t];  // take
    pipe.consumer_release();
    stage ^= 1;
  }
  out[blockIdx.x * 128 + t] = sum;
}

// safe: 36 of 36 pairs
__global__ void all_but_the_last(const int *in, int *out, int n) {
  __shared__ int s[2][128];
  int t = threadIdx.x, sum = 0;
  auto pipe = cuda::make_pipeline();
  cuda::memcpy_async(&s[0][t], &in[t], sizeof(int), pipe);
  pipe.producer_commit();
  for (int i = 0; i < n; ++i) {
    if (i + 1 < n) cuda::memcpy_async(&s[(i + 1) % 2][t], &in[(i + 1) * 128 + t], sizeof(int), pipe);
    pipe.producer_commit();
    cuda::pipeline_consumer_wait_prior<1>(pipe);
    __syncthreads();
    sum += s[i % 2][127 - t];
    __syncthreads();
  }
  out[blockIdx.x * 128 + t] = sum;
}

// open: the thread uses what its own asynchronous copy may not have brought yet
__global__ void waited_for_by_another_pipeline(const int *in, int *out) {
  __shared__ int s[128];
  int t = threadIdx.x;
  auto pipe = cuda::make_pipeline(), other = cuda::make_pipeline();
  cuda::memcpy_async(&s[t], &in[t], sizeof(int), pipe);
  pipe.producer_commit();
  other.producer_commit();
  other.consumer_wait();
  out[blockIdx.x * 128 + t] = s[t];
}

// safe: 91 of 91 pairs
__global__ void by_a_group(const int *in, int *out, int n) {
  __shared__ int s[2][128];
  auto block = cg::this_thread_block();
  int t = threadIdx.x, sum = 0;
  cg::memcpy_async(block, s[0], in, sizeof(int) * 128);
  for (int i = 0; i < n; ++i) {
    if (i + 1 < n) {
      cg::memcpy_async(block, s[(i + 1) % 2], in + (i + 1) * 128, sizeof(int) * 128);
      cg::wait_prior<1>(block);
    } else {
      cg::wait(block);
    }
    sum += s[i % 2][127 - t];
    block.sync();
  }
  out[blockIdx.x * 128 + t] = sum;
}

// race: read take, write next; shared; warp block
__global__ void by_a_group_too_early(const int *in, int *out, int n) {
  __shared__ int s[2][128];
  auto block = cg::this_thread_block();
  int t = threadIdx.x, sum = 0;
  cg::memcpy_async(block, s[0], in, sizeof(int) * 128);  // first
  for (int i = 0; i < n; ++i) {
    if (i + 1 < n) {
      cg::memcpy_async(block, s[(i + 1) % 2], in + (i + 1) * 128, sizeof(int) * 128);  // next
      cg::wait_prior<1>(block);
    } else {
      cg::wait(block);
    }
    sum += s[i % 2][127 - t];  // take
  }
  out[blockIdx.x * 128 + t] = sum;
}

// safe: 91 of 91 pairs
__global__ void by_each_tile(const int *in, int *out, int n) {
  __shared__ int s[2][128];
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  int t = threadIdx.x, w = t / 32 * 32, sum = 0;
  cg::memcpy_async(tile, &s[0][w], &in[w], sizeof(int) * 32);
  for (int i = 0; i < n; ++i) {
    if (i + 1 < n) {
      cg::memcpy_async(tile, &s[(i + 1) % 2][w], &in[(i + 1) * 128 + w], sizeof(int) * 32);
      cg::wait_prior<1>(tile);
    } else {
      cg::wait(tile);
    }
    sum += s[i % 2][w + 31 - t % 32];
    tile.sync();
  }
  out[blockIdx.x * 128 + t] = sum;
}

// race: read take, write next; shared; warp
__global__ void by_each_tile_too_early(const int *in, int *out, int n) {
  __shared__ int s[2][128];
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  int t = threadIdx.x, w = t / 32 * 32, sum = 0;
  cg::memcpy_async(tile, &s[0][w], &in[w], sizeof(int) * 32);  // first
  for (int i = 0; i < n; ++i) {
    if (i + 1 < n) {
      cg::memcpy_async(tile, &s[(i + 1) % 2][w], &in[(i + 1) * 128 + w], sizeof(int) * 32);  // next
      cg::wait_prior<1>(tile);
    } else {
      cg::wait(tile);
    }
    sum += s[i % 2][w + 31 - t % 32];  // take
  }
  out[blockIdx.x * 128 + t] = sum;
}

// safe: 36 of 36 pairs
__global__ void by_some_threads(const int *in, int *out, int n) {
  __shared__ int s[2][128];
  int t = threadIdx.x, sum = 0;
  if (t < 32) __pipeline_memcpy_async(&s[0][4 * t], &in[4 * t], 16);
  __pipeline_commit();
  for (int i = 0; i < n; ++i) {
    if (t < 32 && i + 1 < n) __pipeline_memcpy_async(&s[(i + 1) % 2][4 * t], &in[(i + 1) * 128 + 4 * t], 16);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    sum += s[i % 2][127 - t];
    __syncthreads();
  }
  out[blockIdx.x * 128 + t] = sum;
}

// safe: 6 of 6 pairs
__global__ void row_by_row(const int *in, int *out, int n) {
  __shared__ int s[1024];
  int t = threadIdx.x;
  for (int i = t; i < n; i += 128) __pipeline_memcpy_async(&s[i], &in[i], 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  for (int i = t; i < n; i += 128) out[blockIdx.x * n + i] = s[n - 1 - i];
}

// race: read take, write copy; shared; warp block
__global__ void row_by_row_without_a_barrier(const int *in, int *out, int n) {
  __shared__ int s[1024];
  int t = threadIdx.x;
  for (int i = t; i < n; i += 128) __pipeline_memcpy_async(&s[i], &in[i], 4);  // copy
  __pipeline_commit();
  __pipeline_wait_prior(0);
  for (int i = t; i < n; i += 128) out[blockIdx.x * n + i] = s[n - 1 - i];  // take
}

int main(int count, char **words) {
  int *a, *b, n = count;
  cudaMalloc(&a, 1 << 20);
  cudaMalloc(&b, 1 << 20);
  two_buffers<<<16, 128>>>(a, b, n);
  filled_while_it_is_read<<<16, 128>>>(a, b, n);
  last_one_not_waited_for<<<16, 128>>>(a, b, n);
  three_stages<<<16, 128>>>(a, b, n);
  three_stages_waited_for_one_later<<<16, 128>>>(a, b, n);
  by_a_pipeline<<<16, 128>>>(a, b, n);
  by_a_pipeline_without_barriers<<<16, 128>>>(a, b, n);
  all_but_the_last<<<16, 128>>>(a, b, n);
  waited_for_by_another_pipeline<<<16, 128>>>(a, b);
  by_a_group<<<16, 128>>>(a, b, n);
  by_a_group_too_early<<<16, 128>>>(a, b, n);
  by_each_tile<<<16, 128>>>(a, b, n);
  by_each_tile_too_early<<<16, 128>>>(a, b, n);
  by_some_threads<<<16, 128>>>(a, b, n);
  row_by_row<<<16, 128>>>(a, b, n);
  row_by_row_without_a_barrier<<<16, 128>>>(a, b, n);
}
"""

test_kernel = verdicts(SOURCE)
