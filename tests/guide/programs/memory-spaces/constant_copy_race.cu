// Section: CUDA C++ Programming Guide: Device Memory
// Shows: an index step of zero copied to constant memory
#include <cuda_runtime.h>
__constant__ int step;
// race: write line0, write line0; global; warp block grid
__global__ void k(int *out) {
  out[(blockIdx.x * 128 + threadIdx.x) * step] = threadIdx.x;  // line0
}

int main() {
  int *out, zero = 0;
  cudaMalloc(&out, 4096 * sizeof(int));
  cudaMemcpyToSymbol(step, &zero, sizeof zero);
  k<<<32, 128>>>(out);
}
