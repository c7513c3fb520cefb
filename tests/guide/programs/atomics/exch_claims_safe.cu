// Section: CUDA C++ Programming Guide: Atomic Functions
// Shows: who exchanges a mark first writes
#include <cuda_runtime.h>

// safe: 1 of 1 pairs
__global__ void exch_claims(int *data, int *flag, int *out) {
  if (atomicExch(flag, 1) == 0) *data = threadIdx.x;  // put
}

int main() {
  int *data, *out;
  int *flag;
  cudaMalloc(&data, 1024);
  cudaMalloc(&out, 1024);
  cudaMalloc(&flag, 1024);
  cudaMemset(data, 0, 1024);
  cudaMemset(flag, 0, 1024);
  exch_claims<<<2, 64>>>(data, flag, out);
  cudaDeviceSynchronize();
}
