// Section: CUDA C++ Programming Guide: Warp Shuffle Functions
// Shows: each lane stores its part of a scan
#include <cuda_runtime.h>

// safe: 1 of 1 pairs
__global__ void scan(int *out, const int *in) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  int v = in[i];
  for (int by = 1; by < 32; by *= 2) {
    int below = __shfl_up_sync(0xffffffffu, v, by);
    if (lane >= by) v += below;
  }
  out[i] = v;  // part
}

int main() {
  int *out, *in;
  cudaMalloc(&out, 1 << 16);
  cudaMalloc(&in, 1 << 16);
  cudaMemset(out, 0, 1 << 16);
  scan<<<4, 256>>>(out, in);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
  return 0;
}
