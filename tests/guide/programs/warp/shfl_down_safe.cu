// Section: CUDA C++ Programming Guide: Warp Shuffle Functions
// Shows: the first lane stores the sum of its warp
#include <cuda_runtime.h>

// safe: 1 of 1 pairs
__global__ void sum(int *out, const int *in) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = in[i];
  for (int by = 16; by > 0; by /= 2) v += __shfl_down_sync(0xffffffffu, v, by);
  if (i % 32 == 0) out[i / 32] = v;  // sum
}

int main() {
  int *out, *in;
  cudaMalloc(&out, 1 << 16);
  cudaMalloc(&in, 1 << 16);
  cudaMemset(out, 0, 1 << 16);
  sum<<<4, 256>>>(out, in);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
  return 0;
}
