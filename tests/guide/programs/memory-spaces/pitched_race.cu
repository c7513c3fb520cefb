// Section: CUDA C++ Programming Guide: Device Memory
// Shows: columns of a pitched array written by several threads
#include <cuda_runtime.h>

// race: write line0, write line0; global; warp
__global__ void k(char *p, size_t pitch) {
  float *row = (float *)(p + blockIdx.x * pitch);
  row[threadIdx.x / 2] = threadIdx.x;  // line0
}

int main() {
  char *p;
  size_t pitch;
  cudaMallocPitch((void **)&p, &pitch, 64 * sizeof(float), 64);
  k<<<64, 64>>>(p, pitch);
}
