// Section: CUDA C++ Programming Guide: Atomic Functions
// Shows: a lock by atomicCAS with fences
#include <cuda_runtime.h>

// safe: 2 of 2 pairs
__global__ void cas_lock(int *data, int *flag, int *out) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(flag, 0, 1) != 0) {}
  __threadfence();
  *data += 1;  // update
  __threadfence();
  atomicExch(flag, 0);
}

int main() {
  int *data, *out;
  int *flag;
  cudaMalloc(&data, 1024);
  cudaMalloc(&out, 1024);
  cudaMalloc(&flag, 1024);
  cudaMemset(data, 0, 1024);
  cudaMemset(flag, 0, 1024);
  cas_lock<<<2, 64>>>(data, flag, out);
  cudaDeviceSynchronize();
}
