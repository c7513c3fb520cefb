// Section: CUDA C++ Programming Guide: Unified Memory Programming
// Shows: a managed array read and written at one element
#include <cuda_runtime.h>
__managed__ int data[4097];
// safe: 2 of 2 pairs
__global__ void k() {
  int i = blockIdx.x * 128 + threadIdx.x;
  data[i] = data[i] + 1;
}

int main() {
  k<<<32, 128>>>();
  cudaDeviceSynchronize();
}
