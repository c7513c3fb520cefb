// Section: CUDA C++ Programming Guide: Atomic Functions
// Shows: an atomic of the system against one of the block
#include <cuda_runtime.h>

// race: atomic all, atomic some; global; grid
// race: atomic some, atomic some; global; grid
__global__ void system_scope(int *data, int *flag, int *out) {
  atomicMin_system(data, threadIdx.x);  // all
  atomicMin_block(data, 7);  // some
}

int main() {
  int *data, *out;
  int *flag;
  cudaMalloc(&data, 1024);
  cudaMalloc(&out, 1024);
  cudaMalloc(&flag, 1024);
  cudaMemset(data, 0, 1024);
  cudaMemset(flag, 0, 1024);
  system_scope<<<2, 64>>>(data, flag, out);
  cudaDeviceSynchronize();
}
