// Section: CUDA Math API: Integer Intrinsics
// Shows: averages of neighbours
#include <cuda_runtime.h>

// race: write place, write place; global; warp
__global__ void average(int *out, const int *in) {
  int t = threadIdx.x;
  if (blockIdx.x == 0) out[__hadd(t, 2)] = in[t];  // place
}

int main() {
  int *out, *in;
  cudaMalloc(&out, 1 << 16);
  cudaMalloc(&in, 1 << 16);
  cudaMemset(out, 0, 1 << 16);
  average<<<4, 256>>>(out, in);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
  return 0;
}
