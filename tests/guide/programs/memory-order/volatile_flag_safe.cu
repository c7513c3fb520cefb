// Section: CUDA C++ Programming Guide: Memory Fence Functions
// Shows: a volatile flag with fences
#include <cuda_runtime.h>

// safe: 5 of 5 pairs
__global__ void volatile_flag(int *data, int *flag, int *out) {
  volatile int *raised = flag;
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    *data = 1;  // payload
    __threadfence();
    *raised = 1;  // set
  } else {
    while (*raised == 0) {}  // seen
    __threadfence();
    out[blockIdx.x] = *data;  // reader
  }
}

int main() {
  int *data, *out;
  int *flag;
  cudaMalloc(&data, 1024);
  cudaMalloc(&out, 1024);
  cudaMalloc(&flag, 1024);
  cudaMemset(data, 0, 1024);
  cudaMemset(flag, 0, 1024);
  volatile_flag<<<2, 64>>>(data, flag, out);
  cudaDeviceSynchronize();
}
