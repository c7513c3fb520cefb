// Section: CUDA C++ Programming Guide: Warp Shuffle Functions
// Shows: lanes exchange values through registers
#include <cuda_runtime.h>

// safe: 3 of 3 pairs
__global__ void exchange(int *out, const int *in) {
  __shared__ int slot[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
  slot[t] = in[i];  // mine
  out[i] = __shfl_xor_sync(0xffffffffu, slot[t], 1);  // other
}

int main() {
  int *out, *in;
  cudaMalloc(&out, 1 << 16);
  cudaMalloc(&in, 1 << 16);
  cudaMemset(out, 0, 1 << 16);
  exchange<<<4, 256>>>(out, in);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
  return 0;
}
