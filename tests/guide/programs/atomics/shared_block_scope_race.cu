// Section: CUDA C++ Programming Guide: Atomic Functions
// Shows: plain updates in shared memory
#include <cuda_runtime.h>

// note: write count, write count; shared; warp block
// race: read count, write count; shared; warp block
__global__ void shared_block_scope(int *data, int *flag, int *out) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  count += 1;  // count
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
