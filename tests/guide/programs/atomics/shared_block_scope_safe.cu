// Section: CUDA C++ Programming Guide: Atomic Functions
// Shows: atomics of the block in shared memory
#include <cuda_runtime.h>

// safe: 5 of 5 pairs
__global__ void shared_block_scope(int *data, int *flag, int *out) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  atomicAdd_block(&count, 1);  // count
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = count;
}

int main() {
  int *data, *out;
  int *flag;
  cudaMalloc(&data, 1024);
  cudaMalloc(&out, 1024);
  cudaMalloc(&flag, 1024);
  cudaMemset(data, 0, 1024);
  cudaMemset(flag, 0, 1024);
  shared_block_scope<<<2, 64>>>(data, flag, out);
  cudaDeviceSynchronize();
}
