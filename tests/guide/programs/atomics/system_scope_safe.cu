// Section: CUDA C++ Programming Guide: Atomic Functions
// Shows: atomics of the system by all blocks
#include <cuda_runtime.h>

// safe: 0 of 0 pairs
__global__ void system_scope(int *data, int *flag, int *out) {
  atomicMin_system(data, threadIdx.x);  // all
  atomicMin_system(data, 7);  // some
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
