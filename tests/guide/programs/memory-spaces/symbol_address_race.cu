// Section: CUDA C++ Programming Guide: Device Memory
// Shows: a device array under its symbol's address and its name
#include <cuda_runtime.h>
__device__ float grid_values[4097];
// race: read line0, write line0; global; warp block grid
__global__ void k(float *p) {
  int i = blockIdx.x * 128 + threadIdx.x;
  p[i] = grid_values[i + 1];  // line0
}

int main() {
  float *p;
  cudaGetSymbolAddress((void **)&p, grid_values);
  k<<<32, 128>>>(p);
}
