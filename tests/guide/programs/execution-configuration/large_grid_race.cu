// Section: CUDA C++ Programming Guide: Execution Configuration
// Shows: a 32-bit index that the grid makes wrap around
#include <cuda_runtime.h>

// race: write line0, write line0; global; grid
__global__ void k(unsigned char *p) { p[blockIdx.x * 65536u + threadIdx.x] = blockIdx.x >> 16; }  // line0

int main() {
  unsigned char *p;
  cudaMalloc(&p, (size_t)66000 * 65536);
  k<<<66000, 64>>>(p);
}
