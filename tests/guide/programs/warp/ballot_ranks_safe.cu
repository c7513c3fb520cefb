// Section: CUDA C++ Programming Guide: Warp Vote Functions
// Shows: ranks among those that voted are different
#include <cuda_runtime.h>

// safe: 3 of 3 pairs
__global__ void ranks(int *out, const int *in) {
  __shared__ int list[8][32];
  int t = threadIdx.x, lane = t % 32, warp = t / 32;
  bool keep = in[t] > 0;
  unsigned mask = __ballot_sync(0xffffffffu, keep);
  if (keep) list[warp][__popc(mask & ((1u << lane) - 1))] = t;  // ranked
  __syncthreads();
  if (blockIdx.x == 0) out[t] = list[warp][lane];
}

int main() {
  int *out, *in;
  cudaMalloc(&out, 1 << 16);
  cudaMalloc(&in, 1 << 16);
  cudaMemset(out, 0, 1 << 16);
  ranks<<<4, 256>>>(out, in);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
  return 0;
}
