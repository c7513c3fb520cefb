// Section: CUDA C++ Programming Guide: Memory Fence Functions
// Shows: no barrier before one thread sets the flag of its block
#include <cuda_runtime.h>

// race: read use, write fill; global; grid
__global__ void flag_of_the_block(int *data, int *flag, int *out) {
  int t = threadIdx.x;
  if (blockIdx.x == 0) {
    data[t] = t;  // fill
    if (t == 0) {
      __threadfence();
      atomicExch(flag, 1);
    }
  } else {
    if (t == 0) {
      while (atomicAdd(flag, 0) == 0) {}
      __threadfence();
    }
    __syncthreads();
    out[blockIdx.x * 64 + t] = data[63 - t];  // use
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
  flag_of_the_block<<<2, 64>>>(data, flag, out);
  cudaDeviceSynchronize();
}
