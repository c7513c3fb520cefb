// Section: CUDA C++ Programming Guide: Mapped Memory
// Shows: host memory under two addresses, shifted
#include <cuda_runtime.h>

// race: read line0, write line0; global; warp block grid
__global__ void k(const float *x, float *y) {
  int i = blockIdx.x * 128 + threadIdx.x;
  y[i] = x[i + 1];  // line0
}

int main() {
  float *host, *device;
  cudaHostAlloc(&host, 4097 * sizeof(float), cudaHostAllocMapped);
  cudaHostGetDevicePointer(&device, host, 0);
  k<<<32, 128>>>(host, device);
}
