// Section: CUDA C++ Programming Guide: Stream Ordered Memory Allocator
// Shows: blocks share elements of memory from a stream's pool
#include <cuda_runtime.h>

// race: write line0, write line0; global; grid
__global__ void k(int *p) { p[blockIdx.x * 64 + threadIdx.x] = threadIdx.x + blockIdx.x; }  // line0

int main() {
  int *p;
  cudaMallocAsync(&p, 1024 * sizeof(int), 0);
  k<<<4, 128>>>(p);
  cudaFreeAsync(p, 0);
}
