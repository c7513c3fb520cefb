// Section: CUDA C++ Programming Guide: Atomic Functions
// Shows: bits are set, cleared and turned by atomics
#include <cuda_runtime.h>

// safe: 0 of 0 pairs
__global__ void or_xor_and(int *data, int *flag, int *out) {
  atomicOr(data, 1 << threadIdx.x % 32);  // set
  atomicXor(data, 2);  // turn
  atomicAnd(data, ~4);
}

int main() {
  int *data, *out;
  int *flag;
  cudaMalloc(&data, 1024);
  cudaMalloc(&out, 1024);
  cudaMalloc(&flag, 1024);
  cudaMemset(data, 0, 1024);
  cudaMemset(flag, 0, 1024);
  or_xor_and<<<2, 64>>>(data, flag, out);
  cudaDeviceSynchronize();
}
