// Section: CUDA C++ Programming Guide: Execution Configuration
// Shows: a 64-bit index that holds the whole grid
#include <cuda_runtime.h>

// safe: 1 of 1 pairs
__global__ void k(unsigned char *p) { p[(size_t)blockIdx.x * 65536u + threadIdx.x] = blockIdx.x >> 16; }

int main() {
  unsigned char *p;
  cudaMalloc(&p, (size_t)66000 * 65536);
  k<<<66000, 64>>>(p);
}
