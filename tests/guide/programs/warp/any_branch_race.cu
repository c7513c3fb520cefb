// Section: CUDA C++ Programming Guide: Warp Vote Functions
// Shows: every lane speaks for a warp in which any lane found something
#include <cuda_runtime.h>

// race: write found, write found; global; warp (data-dependent)
__global__ void any(int *out, const int *in) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (__any_sync(0xffffffffu, in[i] > 0) && in[i] >= 0) out[i / 32] = i;  // found
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
