// Section: CUDA C++ Programming Guide: Asynchronous Barrier
// Shows: arrive_and_wait waits for the block's threads
#include <cooperative_groups.h>
#include <cuda/barrier>

// safe: 5 of 5 pairs
__global__ void mirror(const int *in, int *out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> all;
  __shared__ int s[128];
  auto block = cooperative_groups::this_thread_block();
  if (block.thread_rank() == 0) init(&all, block.size());
  block.sync();
  s[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
  all.arrive_and_wait();
  out[blockIdx.x * 128 + threadIdx.x] = s[127 - threadIdx.x];
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 16 * 128 * sizeof(int));
  cudaMalloc(&out, 16 * 128 * sizeof(int));
  mirror<<<16, 128>>>(in, out);
  cudaDeviceSynchronize();
}
