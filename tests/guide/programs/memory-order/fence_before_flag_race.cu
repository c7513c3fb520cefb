// Section: CUDA C++ Programming Guide: Memory Fence Functions
// Shows: no fence before the flag is set
#include <cuda_runtime.h>

// race: read reader, write payload; global; grid
__global__ void fence_before_flag(int *data, int *flag, int *out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    *data = 1;  // payload
    atomicExch(flag, 1);  // set
  } else {
    while (atomicAdd(flag, 0) == 0) {}  // seen
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
  fence_before_flag<<<2, 64>>>(data, flag, out);
  cudaDeviceSynchronize();
}
