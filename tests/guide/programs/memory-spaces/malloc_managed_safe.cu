// Section: CUDA C++ Programming Guide: Unified Memory Programming
// Shows: each block writes its part of managed memory
#include <cuda_runtime.h>

// safe: 1 of 1 pairs
__global__ void k(int *p) { p[blockIdx.x * 128 + threadIdx.x] = blockIdx.x; }

int main() {
  int *p;
  cudaMallocManaged(&p, 4 * 128 * sizeof(int));
  k<<<4, 128>>>(p);
  cudaDeviceSynchronize();
}
