// Section: CUDA C++ Programming Guide: Warp Vote Functions
// Shows: one lane stores the bits of its warp
#include <cuda_runtime.h>

// safe: 1 of 1 pairs
__global__ void bitmap(int *out, const int *in) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned bits = __ballot_sync(0xffffffffu, in[i] > 0);
  if (i % 32 == 0) out[i / 32] = bits;  // word
}

int main() {
  int *out, *in;
  cudaMalloc(&out, 1 << 16);
  cudaMalloc(&in, 1 << 16);
  cudaMemset(out, 0, 1 << 16);
  bitmap<<<4, 256>>>(out, in);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
  return 0;
}
