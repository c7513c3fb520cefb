// Section: CUDA Math API: Integer Intrinsics
// Shows: the upper half of a product, with the lower one
#include <cuda_runtime.h>

// safe: 1 of 1 pairs
__global__ void product(int *out, const int *in) {
  unsigned t = threadIdx.x;
  if (blockIdx.x == 0) out[__umulhi(t, 1u << 31) + 128 * (t % 2)] = in[t];  // place
}

int main() {
  int *out, *in;
  cudaMalloc(&out, 1 << 16);
  cudaMalloc(&in, 1 << 16);
  cudaMemset(out, 0, 1 << 16);
  product<<<4, 256>>>(out, in);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
  return 0;
}
