// Section: CUDA C++ Programming Guide: Atomic Functions
// Shows: atomicMax against a plain store
#include <cuda_runtime.h>

// race: atomic most, write reset; global; warp block grid
// race: write reset, write reset; global; grid
__global__ void max_against_plain(int *data, int *flag, int *out) {
  atomicMax(data, threadIdx.x);  // most
  if (threadIdx.x == 0) *data = blockIdx.x;  // reset
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
