// Section: CUDA C++ Programming Guide: Atomic Functions
// Shows: atomicSub, and a plain read of the counter
#include <cuda_runtime.h>

// race: atomic take, read look; global; warp block grid
__global__ void sub_read_plain(int *data, int *flag, int *out) {
  int left = atomicSub(data, 1);  // take
  out[blockIdx.x * 64 + threadIdx.x] = *data;  // look
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
