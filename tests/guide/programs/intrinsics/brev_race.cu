// Section: CUDA Math API: Integer Intrinsics
// Shows: reversed bits of which one is cut off
#include <cuda_runtime.h>

// race: write place, write place; global; grid
__global__ void reverse(int *out, const int *in) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[__brev(i) >> 23] = in[i];  // place
}

int main() {
  int *out, *in;
  cudaMalloc(&out, 1 << 16);
  cudaMalloc(&in, 1 << 16);
  cudaMemset(out, 0, 1 << 16);
  reverse<<<4, 256>>>(out, in);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
  return 0;
}
