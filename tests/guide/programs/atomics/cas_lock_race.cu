// Section: CUDA C++ Programming Guide: Atomic Functions
// Shows: a lock by atomicCAS that is given back before the update
#include <cuda_runtime.h>

// race: read update, write update; global; grid
// race: write update, write update; global; grid
__global__ void cas_lock(int *data, int *flag, int *out) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(flag, 0, 1) != 0) {}
  __threadfence();
  __threadfence();
  atomicExch(flag, 0);
  *data += 1;  // update
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
