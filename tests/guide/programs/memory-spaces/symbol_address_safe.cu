// Section: CUDA C++ Programming Guide: Device Memory
// Shows: a device array read at the element that is written
#include <cuda_runtime.h>
__device__ float grid_values[4097];
// safe: 2 of 2 pairs
__global__ void k(float *p) {
  int i = blockIdx.x * 128 + threadIdx.x;
  p[i] = grid_values[i] * 2;
}

int main() {
  float *p;
  cudaGetSymbolAddress((void **)&p, grid_values);
  k<<<32, 128>>>(p);
}
