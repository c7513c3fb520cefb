// Section: CUDA C++ Programming Guide: Atomic Functions
// Shows: atomicSub, and its own result
#include <cuda_runtime.h>

// safe: 1 of 1 pairs
__global__ void sub_read_plain(int *data, int *flag, int *out) {
  int left = atomicSub(data, 1);  // take
  out[blockIdx.x * 64 + threadIdx.x] = left;
}

int main() {
  int *data, *out;
  int *flag;
  cudaMalloc(&data, 1024);
  cudaMalloc(&out, 1024);
  cudaMalloc(&flag, 1024);
  cudaMemset(data, 0, 1024);
  cudaMemset(flag, 0, 1024);
  sub_read_plain<<<2, 64>>>(data, flag, out);
  cudaDeviceSynchronize();
}
