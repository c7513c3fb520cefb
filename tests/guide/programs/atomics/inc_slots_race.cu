// Section: CUDA C++ Programming Guide: Atomic Functions
// Shows: all threads of a slot that is only looked at
#include <cuda_runtime.h>

// race: write put, write put; global; warp block grid (data-dependent)
__global__ void inc_slots(int *data, int *flag, int *out) {
  data[atomicAdd(flag, 0)] = threadIdx.x;  // put
}

int main() {
  int *data, *out;
  int *flag;
  cudaMalloc(&data, 1024);
  cudaMalloc(&out, 1024);
  cudaMalloc(&flag, 1024);
  cudaMemset(data, 0, 1024);
  cudaMemset(flag, 0, 1024);
  inc_slots<<<2, 64>>>(data, flag, out);
  cudaDeviceSynchronize();
}
