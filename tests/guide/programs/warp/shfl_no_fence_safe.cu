// Section: CUDA C++ Programming Guide: Warp Shuffle Functions
// Shows: a barrier of the warp between a store and the load of another lane
#include <cuda_runtime.h>

// safe: 3 of 3 pairs
__global__ void turn(int *out, const int *in) {
  __shared__ int slot[256];
  int t = threadIdx.x;
  slot[t] = in[t];  // mine
  int v = __shfl_sync(0xffffffffu, in[t], 0);
  __syncwarp();
  out[blockIdx.x * 256 + t] = slot[t ^ 1] + v;  // other
}

int main() {
  int *out, *in;
  cudaMalloc(&out, 1 << 16);
  cudaMalloc(&in, 1 << 16);
  cudaMemset(out, 0, 1 << 16);
  turn<<<4, 256>>>(out, in);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
  return 0;
}
