// Section: CUDA C++ Programming Guide: Device Memory
// Shows: an index step of one copied to constant memory
#include <cuda_runtime.h>
__constant__ int step;
// safe: 1 of 1 pairs
__global__ void k(int *out) {
  out[(blockIdx.x * 128 + threadIdx.x) * (step + 1)] = threadIdx.x;
}

int main() {
  int *out, zero = 0;
  cudaMalloc(&out, 4096 * sizeof(int));
  cudaMemcpyToSymbol(step, &zero, sizeof zero);
  k<<<32, 128>>>(out);
}
