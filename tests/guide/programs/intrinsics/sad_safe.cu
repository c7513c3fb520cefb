// Section: CUDA Math API: Integer Intrinsics
// Shows: distances from one side
#include <cuda_runtime.h>

// safe: 1 of 1 pairs
__global__ void distance(int *out, const int *in) {
  int t = threadIdx.x;
  if (blockIdx.x == 0) out[__sad(t, 0, 1)] = in[t];  // place
}

int main() {
  int *out, *in;
  cudaMalloc(&out, 1 << 16);
  cudaMalloc(&in, 1 << 16);
  cudaMemset(out, 0, 1 << 16);
  distance<<<4, 256>>>(out, in);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
  return 0;
}
