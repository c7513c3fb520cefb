// Section: CUDA Math API: Integer Intrinsics
// Shows: a funnel shift that keeps the number of the thread
#include <cuda_runtime.h>

// safe: 1 of 1 pairs
__global__ void funnel(int *out, const int *in) {
  unsigned t = threadIdx.x;
  if (blockIdx.x == 0) out[__funnelshift_r(t << 8, 0, 8)] = in[t];  // place
}

int main() {
  int *out, *in;
  cudaMalloc(&out, 1 << 16);
  cudaMalloc(&in, 1 << 16);
  cudaMemset(out, 0, 1 << 16);
  funnel<<<4, 256>>>(out, in);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
  return 0;
}
