// Section: CUDA C++ Programming Guide: Warp Match Functions
// Shows: the first of the lanes with a key writes for them
#include <cuda_runtime.h>

// safe: 1 of 1 pairs
__global__ void match(int *out, const int *in) {
  int t = threadIdx.x, lane = t % 32, key = in[t] & 63;
  unsigned peers = __match_any_sync(0xffffffffu, key);
  if (t < 32 && blockIdx.x == 0 && lane == __ffs(peers) - 1) out[key] = t;  // first
}

int main() {
  int *out, *in;
  cudaMalloc(&out, 1 << 16);
  cudaMalloc(&in, 1 << 16);
  cudaMemset(out, 0, 1 << 16);
  match<<<4, 256>>>(out, in);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
  return 0;
}
