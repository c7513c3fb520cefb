// Section: CUDA C++ Programming Guide: CUDA Runtime
// Shows: cudaLaunchKernel with a thread for each element
#include <cuda_runtime.h>

// safe: 1 of 1 pairs
__global__ void k(int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = threadIdx.x + blockIdx.x;
}

int main() {
  int *out, n = 1000;
  cudaMalloc(&out, n * sizeof(int));
  void *arguments[] = {&out, &n};
  cudaLaunchKernel((void *)k, dim3(16), dim3(128), arguments, 0, 0);
}
