// Section: CUDA Math API: Integer Intrinsics
// Shows: threads with the parity of their number in two halves
#include <cuda_runtime.h>

// safe: 1 of 1 pairs
__global__ void parity(int *out, const int *in) {
  int t = threadIdx.x;
  if (blockIdx.x == 0) out[t / 2 + 128 * (__popc(t) % 2)] = in[t];  // place
}

int main() {
  int *out, *in;
  cudaMalloc(&out, 1 << 16);
  cudaMalloc(&in, 1 << 16);
  cudaMemset(out, 0, 1 << 16);
  parity<<<4, 256>>>(out, in);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
  return 0;
}
