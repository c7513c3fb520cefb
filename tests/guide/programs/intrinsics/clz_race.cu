// Section: CUDA Math API: Integer Intrinsics
// Shows: rows as wide as the power of two below
#include <cuda_runtime.h>

// race: write row, write row; global; grid
__global__ void rows(int *out, const int *in) {
  const int n = 200;
  int width = 1 << (31 - __clz(n - 1)), t = threadIdx.x;
  if (t < n) out[blockIdx.x * width + t] = in[t];  // row
}

int main() {
  int *out, *in;
  cudaMalloc(&out, 1 << 16);
  cudaMalloc(&in, 1 << 16);
  cudaMemset(out, 0, 1 << 16);
  rows<<<4, 256>>>(out, in);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
  return 0;
}
