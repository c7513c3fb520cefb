// Section: CUDA C++ Programming Guide: CUDA Runtime
// Shows: cudaLaunchKernel with more threads than elements
#include <cuda_runtime.h>

// race: write line0, write line0; global; grid
__global__ void k(int *out, int n) { out[(blockIdx.x * blockDim.x + threadIdx.x) % n] = threadIdx.x + blockIdx.x; }  // line0

int main() {
  int *out, n = 1000;
  cudaMalloc(&out, n * sizeof(int));
  void *arguments[] = {&out, &n};
  cudaLaunchKernel((void *)k, dim3(16), dim3(128), arguments, 0, 0);
}
