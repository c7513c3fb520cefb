// Section: CUDA C++ Programming Guide: Atomic Functions
// Shows: each thread writes the slot that it has drawn
#include <cuda_runtime.h>

// safe: 1 of 1 pairs
__global__ void inc_slots(int *data, int *flag, int *out) {
  data[atomicAdd(flag, 1)] = threadIdx.x;  // put
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
