// Section: CUDA C++ Programming Guide: Warp Reduce Functions
// Shows: lanes of two warps store their sums
#include <cuda_runtime.h>

// race: write sum, write sum; global; warp block
__global__ void sums(int *out, const int *in) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i / 64] = __reduce_max_sync(0xffffffffu, in[i]);  // sum
}

int main() {
  int *out, *in;
  cudaMalloc(&out, 1 << 16);
  cudaMalloc(&in, 1 << 16);
  cudaMemset(out, 0, 1 << 16);
  sums<<<4, 256>>>(out, in);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
  return 0;
}
