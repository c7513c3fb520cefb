// Section: CUDA C++ Programming Guide: Warp Vote Functions
// Shows: each lane sets its bit in the word of the warp
#include <cuda_runtime.h>

// race: read word, write word; global; warp (data-dependent)
// race: write word, write word; global; warp (data-dependent)
__global__ void bitmap(int *out, const int *in) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned bits = __ballot_sync(0xffffffffu, in[i] > 0);
  if (bits >> i % 32 & 1) out[i / 32] = out[i / 32] | 1 << i % 32;  // word
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
