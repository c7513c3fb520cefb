// Section: CUDA C++ Programming Guide: Mapped Memory
// Shows: host memory under two addresses, element by element
#include <cuda_runtime.h>

// safe: 2 of 2 pairs
__global__ void k(const float *x, float *y) {
  int i = blockIdx.x * 128 + threadIdx.x;
  y[i] = x[i] + 1;
}

int main() {
  float *host, *device;
  cudaHostAlloc(&host, 4097 * sizeof(float), cudaHostAllocMapped);
  cudaHostGetDevicePointer(&device, host, 0);
  k<<<32, 128>>>(host, device);
}
