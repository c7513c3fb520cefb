// Section: CUDA C++ Programming Guide: Atomic Functions
// Shows: a bit is cleared by a plain update
#include <cuda_runtime.h>

// race: atomic set, read clear; global; warp block grid
// race: atomic set, write clear; global; warp block grid
// race: atomic turn, read clear; global; warp block grid
// race: atomic turn, write clear; global; warp block grid
// race: read clear, write clear; global; warp block grid
// race: write clear, write clear; global; warp block grid
__global__ void or_xor_and(int *data, int *flag, int *out) {
  atomicOr(data, 1 << threadIdx.x % 32);  // set
  atomicXor(data, 2);  // turn
  *data &= ~4;  // clear
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
