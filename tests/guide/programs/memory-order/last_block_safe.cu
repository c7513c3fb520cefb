// Section: CUDA C++ Programming Guide: Memory Fence Functions
// Shows: the last block adds the sums of the others, after fences
#include <cuda_runtime.h>

// safe: 5 of 5 pairs
__global__ void last_block(int *data, unsigned *arrived, int *out) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    data[blockIdx.x] = blockIdx.x;  // part
    __threadfence();
    last = atomicInc(arrived, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    __threadfence();
    int sum = 0;
    for (int b = 0; b < gridDim.x; b++) sum += data[b];  // sum
    *out = sum;
  }
}

int main() {
  int *data, *out;
  unsigned *arrived;
  cudaMalloc(&data, 1024);
  cudaMalloc(&out, 1024);
  cudaMalloc(&arrived, 1024);
  cudaMemset(data, 0, 1024);
  cudaMemset(arrived, 0, 1024);
  last_block<<<2, 64>>>(data, arrived, out);
  cudaDeviceSynchronize();
}
