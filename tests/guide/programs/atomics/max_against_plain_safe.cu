// Section: CUDA C++ Programming Guide: Atomic Functions
// Shows: atomicMax by all, read by nobody
#include <cuda_runtime.h>

// safe: 1 of 1 pairs
__global__ void max_against_plain(int *data, int *flag, int *out) {
  atomicMax(data, threadIdx.x);  // most
  out[blockIdx.x * 64 + threadIdx.x] = 0;
}

int main() {
  int *data, *out;
  int *flag;
  cudaMalloc(&data, 1024);
  cudaMalloc(&out, 1024);
  cudaMalloc(&flag, 1024);
  cudaMemset(data, 0, 1024);
  cudaMemset(flag, 0, 1024);
  max_against_plain<<<2, 64>>>(data, flag, out);
  cudaDeviceSynchronize();
}
