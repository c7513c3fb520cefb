// Section: CUDA C++ Programming Guide: Memory Fence Functions
// Shows: a barrier between a write and a read of a neighbour
#include <cuda_runtime.h>

// safe: 3 of 3 pairs
__global__ void fence_is_no_barrier(int *data, int *flag, int *out) {
  int t = threadIdx.x;
  data[blockIdx.x * 64 + t] = t;  // put
  __syncthreads();
  out[blockIdx.x * 64 + t] = data[blockIdx.x * 64 + 63 - t];  // get
}

int main() {
  int *data, *out;
  int *flag;
  cudaMalloc(&data, 1024);
  cudaMalloc(&out, 1024);
  cudaMalloc(&flag, 1024);
  cudaMemset(data, 0, 1024);
  cudaMemset(flag, 0, 1024);
  fence_is_no_barrier<<<2, 64>>>(data, flag, out);
  cudaDeviceSynchronize();
}
