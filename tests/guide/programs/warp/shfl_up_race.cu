// Section: CUDA C++ Programming Guide: Warp Shuffle Functions
// Shows: each lane stores its part of a scan over that of its neighbour
#include <cuda_runtime.h>

// race: write part, write part; global; warp
__global__ void scan(int *out, const int *in) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  int v = in[i];
  for (int by = 1; by < 32; by *= 2) {
    int below = __shfl_up_sync(0xffffffffu, v, by);
    if (lane >= by) v += below;
  }
  out[i / 2] = v;  // part
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
