// Section: CUDA C++ Programming Guide: Device Memory
// Shows: each thread writes its element of a pitched array
#include <cuda_runtime.h>

// safe: 1 of 1 pairs
__global__ void k(char *p, size_t pitch) {
  float *row = (float *)(p + blockIdx.x * pitch);
  row[threadIdx.x] = threadIdx.x;
}

int main() {
  char *p;
  size_t pitch;
  cudaMallocPitch((void **)&p, &pitch, 64 * sizeof(float), 64);
  k<<<64, 64>>>(p, pitch);
}
