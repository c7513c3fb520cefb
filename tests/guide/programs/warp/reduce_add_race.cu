// Section: CUDA C++ Programming Guide: Warp Reduce Functions
// Shows: each lane stores a sum that is its own
#include <cuda_runtime.h>

// race: write sum, write sum; global; warp
__global__ void sums(int *out, const int *in) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = __reduce_add_sync(0xffffffffu, in[i]);
  out[i / 32] = sum + in[i];  // sum
}

int main() {
  int *out, *in;
  cudaMalloc(&out, 1 << 16);
  cudaMalloc(&in, 1 << 16);
  cudaMemset(out, 0, 1 << 16);
  sums<<<4, 256>>>(out, in);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
  return 0;
}
