// Section: CUDA C++ Programming Guide: Atomic Functions
// Shows: all write who have looked at the mark
#include <cuda_runtime.h>

// race: write put, write put; global; warp block grid (data-dependent)
__global__ void exch_claims(int *data, int *flag, int *out) {
  if (atomicAdd(flag, 0) == 0) *data = threadIdx.x;  // put
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
