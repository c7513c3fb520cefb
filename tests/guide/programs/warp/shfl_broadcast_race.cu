// Section: CUDA C++ Programming Guide: Warp Shuffle Functions
// Shows: lanes store values of two lanes
#include <cuda_runtime.h>

// race: write value, write value; global; warp
__global__ void broadcast(int *out, const int *in) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i / 32] = __shfl_sync(0xffffffffu, in[i], 0, 16);  // value
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
