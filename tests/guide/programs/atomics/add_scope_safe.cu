// Section: CUDA C++ Programming Guide: Atomic Functions
// Shows: atomicAdd of the device by all blocks
#include <cuda_runtime.h>

// safe: 0 of 0 pairs
__global__ void add_scope(int *data, int *flag, int *out) {
  atomicAdd(data, 1);  // add
}

int main() {
  int *data, *out;
  int *flag;
  cudaMalloc(&data, 1024);
  cudaMalloc(&out, 1024);
  cudaMalloc(&flag, 1024);
  cudaMemset(data, 0, 1024);
  cudaMemset(flag, 0, 1024);
  add_scope<<<2, 64>>>(data, flag, out);
  cudaDeviceSynchronize();
}
