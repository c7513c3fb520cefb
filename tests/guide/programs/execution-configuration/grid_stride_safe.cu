// Section: CUDA C++ Programming Guide: Execution Configuration
// Shows: a grid-stride loop
#include <cuda_runtime.h>

// safe: 1 of 1 pairs
__global__ void k(int *p, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) p[i] = i + blockIdx.x;
}

int main() {
  int *p, n = 10000;
  cudaMalloc(&p, n * sizeof(int));
  k<<<8, 128>>>(p, n);
}
