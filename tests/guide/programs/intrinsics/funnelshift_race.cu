// Section: CUDA Math API: Integer Intrinsics
// Shows: a funnel shift that drops a bit of it
#include <cuda_runtime.h>

// race: write place, write place; global; warp
__global__ void funnel(int *out, const int *in) {
  unsigned t = threadIdx.x;
  if (blockIdx.x == 0) out[__funnelshift_r(t << 8, 0, 9)] = in[t];  // place
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
