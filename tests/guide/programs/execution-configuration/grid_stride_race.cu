// Section: CUDA C++ Programming Guide: Execution Configuration
// Shows: a grid-stride loop with a stride that is too small
#include <cuda_runtime.h>

// race: write line0, write line0; global; grid
__global__ void k(int *p, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x) p[i] = i + blockIdx.x;  // line0
}

int main() {
  int *p, n = 10000;
  cudaMalloc(&p, n * sizeof(int));
  k<<<8, 128>>>(p, n);
}
