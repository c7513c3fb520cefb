// Section: CUDA C++ Programming Guide: Synchronization Functions
// Shows: half a warp waits for itself, and reads what the other half has written
#include <cuda_runtime.h>

// race: read other, write far; shared; warp
__global__ void half(int *out, const int *in) {
  __shared__ int slot[256];
  int t = threadIdx.x, lane = t % 32;
  if (lane < 16) {
    slot[t] = in[t];  // mine
    __syncwarp(0x0000ffffu);
    out[blockIdx.x * 256 + t] = slot[t ^ 16];  // other
  } else {
    slot[t] = 0;  // far
  }
}

int main() {
  int *out, *in;
  cudaMalloc(&out, 1 << 16);
  cudaMalloc(&in, 1 << 16);
  cudaMemset(out, 0, 1 << 16);
  half<<<4, 256>>>(out, in);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
  return 0;
}
