// Section: CUDA C++ Programming Guide: Unified Memory Programming
// Shows: two blocks write one half of managed memory
#include <cuda_runtime.h>

// race: write line0, write line0; global; grid
__global__ void k(int *p) { p[(blockIdx.x & 1) * 128 + threadIdx.x] = blockIdx.x; }  // line0

int main() {
  int *p;
  cudaMallocManaged(&p, 4 * 128 * sizeof(int));
  k<<<4, 128>>>(p);
  cudaDeviceSynchronize();
}
