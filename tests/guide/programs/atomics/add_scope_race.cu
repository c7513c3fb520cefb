// Section: CUDA C++ Programming Guide: Atomic Functions
// Shows: atomicAdd_block by all blocks
#include <cuda_runtime.h>

// race: atomic add, atomic add; global; grid
__global__ void add_scope(int *data, int *flag, int *out) {
  atomicAdd_block(data, 1);  // add
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
