// Section: CUDA C++ Programming Guide: Warp Vote Functions
// Shows: one lane speaks for a warp in which any lane found something
#include <cuda_runtime.h>

// safe: 1 of 1 pairs
__global__ void any(int *out, const int *in) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (__any_sync(0xffffffffu, in[i] > 0) && i % 32 == 0) out[i / 32] = i;  // found
}

int main() {
  int *out, *in;
  cudaMalloc(&out, 1 << 16);
  cudaMalloc(&in, 1 << 16);
  cudaMemset(out, 0, 1 << 16);
  any<<<4, 256>>>(out, in);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
  return 0;
}
