// Section: CUDA C++ Programming Guide: Unified Memory Programming
// Shows: a managed array shifted in place
#include <cuda_runtime.h>
__managed__ int data[4097];
// race: read line0, write line0; global; warp block grid
__global__ void k() {
  int i = blockIdx.x * 128 + threadIdx.x;
  data[i] = data[i + 1];  // line0
}

int main() {
  k<<<32, 128>>>();
  cudaDeviceSynchronize();
}
