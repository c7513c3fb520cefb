// Section: CUDA Math API: Integer Intrinsics
// Shows: bytes of which the number of the thread is none
#include <cuda_runtime.h>

// race: write place, write place; global; warp block
__global__ void bytes(int *out, const int *in) {
  unsigned t = threadIdx.x;
  if (blockIdx.x == 0) out[__byte_perm(t, 0, 0x4144) >> 8] = in[t];  // place
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
