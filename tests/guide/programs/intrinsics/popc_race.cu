// Section: CUDA Math API: Integer Intrinsics
// Shows: threads with one number of bits meet
#include <cuda_runtime.h>

// race: write place, write place; global; warp block
__global__ void parity(int *out, const int *in) {
  int t = threadIdx.x;
  if (blockIdx.x == 0) out[__popc(t)] = in[t];  // place
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
