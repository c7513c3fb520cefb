// Section: CUDA C++ Programming Guide: Stream Ordered Memory Allocator
// Shows: each block has its part of memory from a stream's pool
#include <cuda_runtime.h>

// safe: 1 of 1 pairs
__global__ void k(int *p) { p[blockIdx.x * 128 + threadIdx.x] = threadIdx.x + blockIdx.x; }

int main() {
  int *p;
  cudaMallocAsync(&p, 1024 * sizeof(int), 0);
  k<<<4, 128>>>(p);
  cudaFreeAsync(p, 0);
}
