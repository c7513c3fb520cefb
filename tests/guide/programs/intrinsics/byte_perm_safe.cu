// Section: CUDA Math API: Integer Intrinsics
// Shows: bytes in another order tell threads apart
#include <cuda_runtime.h>

// safe: 1 of 1 pairs
__global__ void bytes(int *out, const int *in) {
  unsigned t = threadIdx.x;
  if (blockIdx.x == 0) out[__byte_perm(t, 0, 0x4044) >> 8] = in[t];  // place
}

int main() {
  int *out, *in;
  cudaMalloc(&out, 1 << 16);
  cudaMalloc(&in, 1 << 16);
  cudaMemset(out, 0, 1 << 16);
  bytes<<<4, 256>>>(out, in);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
  return 0;
}
