"""Asynchronous copies that a barrier in memory counts: its phase ends when they have ended."""

from tests.checking import verdicts

SOURCE = """
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <utility>
namespace cg = cooperative_groups;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

// safe: 10 of 10 pairs
__global__ void by_the_block(int *out, const int *in, int rounds) {
  __shared__ int s[128];
  __shared__ Barrier bar;
  auto block = cg::this_thread_block();
  if (block.thread_rank() == 0) init(&bar, block.size());
  block.sync();
  for (int k = 0; k < rounds; ++k) {
    cuda::memcpy_async(block, s, in + k * 128, sizeof(int) * 128, bar);
    bar.arrive_and_wait();
    out[(k * 2 + blockIdx.x) * 128 + threadIdx.x] = s[127 - threadIdx.x];
    block.sync();
  }
}

// race: read get, write copy; shared; warp block
__global__ void begun_again_too_early(int *out, const int *in, int rounds) {
  __shared__ int s[128];
  __shared__ Barrier bar;
  auto block = cg::this_thread_block();
  if (block.thread_rank() == 0) init(&bar, block.size());
  block.sync();
  for (int k = 0; k < rounds; ++k) {
    cuda::memcpy_async(block, s, in + k * 128, sizeof(int) * 128, bar);  // copy
    bar.arrive_and_wait();
    out[(k * 2 + blockIdx.x) * 128 + threadIdx.x] = s[127 - threadIdx.x];  // get
  }
}

// safe: 10 of 10 pairs
__global__ void by_each_thread(int *out, const int *in, int rounds) {
  __shared__ int s[128];
  __shared__ Barrier bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  cuda::memcpy_async(&s[threadIdx.x], &in[threadIdx.x], sizeof(int), bar);
  auto token = bar.arrive();
  rounds += 3;
  bar.wait(std::move(token));
  out[blockIdx.x * 128 + threadIdx.x] = s[127 - threadIdx.x] + rounds;
}

// open: memory that an asynchronous copy may still use, between arrival and wait
// race: read get, write copy; shared; block
__global__ void read_before_the_wait(int *out, const int *in, int rounds) {
  __shared__ int s[128];
  __shared__ Barrier bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  cuda::memcpy_async(&s[threadIdx.x], &in[threadIdx.x], sizeof(int), bar);  // copy
  auto token = bar.arrive();
  out[blockIdx.x * 128 + threadIdx.x] = s[127 - threadIdx.x] + rounds;  // get
  bar.wait(std::move(token));
}

// open: memory that an asynchronous copy may still use, between arrival and wait
__global__ void written_after_the_arrival(int *out, const int *in, int rounds) {
  __shared__ int s[128];
  __shared__ Barrier bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  cuda::memcpy_async(&s[threadIdx.x], &in[threadIdx.x], sizeof(int), bar);
  auto token = bar.arrive();
  s[threadIdx.x] = rounds;
  bar.wait(std::move(token));
  out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x];
}

// open: the thread uses what its own asynchronous copy may not have brought yet
// race: read get, write copy; shared; block
__global__ void another_barrier_counts_it(int *out, const int *in, int rounds) {
  __shared__ int s[128];
  __shared__ Barrier bar, other;
  if (threadIdx.x == 0) init(&bar, blockDim.x), init(&other, blockDim.x);
  __syncthreads();
  cuda::memcpy_async(&s[threadIdx.x], &in[threadIdx.x], sizeof(int), other);  // copy
  bar.arrive_and_wait();
  out[blockIdx.x * 128 + threadIdx.x] = s[127 - threadIdx.x] + rounds;  // get
  other.arrive_and_wait();
}

// open: a barrier in memory, with 128 threads, which are not as many as it counts
// open: read 98, write 96; shared; block: what was not understood in line 97 may order the two accesses
__global__ void counted_for_others(int *out, const int *in, int rounds) {
  __shared__ int s[128];
  __shared__ Barrier bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x + 1);
  __syncthreads();
  cuda::memcpy_async(&s[threadIdx.x], &in[threadIdx.x], sizeof(int), bar);
  bar.arrive_and_wait();
  out[blockIdx.x * 128 + threadIdx.x] = s[127 - threadIdx.x] + rounds;
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 1 << 20), cudaMalloc(&out, 1 << 20);
  by_the_block<<<2, 128>>>(out, in, 9);
  begun_again_too_early<<<2, 128>>>(out, in, 9);
  by_each_thread<<<2, 128>>>(out, in, 9);
  read_before_the_wait<<<2, 128>>>(out, in, 9);
  written_after_the_arrival<<<2, 128>>>(out, in, 9);
  another_barrier_counts_it<<<2, 128>>>(out, in, 9);
  counted_for_others<<<2, 128>>>(out, in, 9);
}
"""

test_kernel = verdicts(SOURCE)
