// Section: CUDA C++ Programming Guide: Warp Shuffle Functions
// Shows: all lanes store the value of the first one
#include <cuda_runtime.h>

// note: write value, write value; global; warp
// safe: 0 of 1 pairs
__global__ void broadcast(int *out, const int *in) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i / 32] = __shfl_sync(0xffffffffu, in[i], 0);  // value
}

int main() {
  int *out, *in;
  cudaMalloc(&out, 1 << 16);
  cudaMalloc(&in, 1 << 16);
  cudaMemset(out, 0, 1 << 16);
  broadcast<<<4, 256>>>(out, in);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
  return 0;
}
