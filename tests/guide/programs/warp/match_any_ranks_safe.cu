// Section: CUDA C++ Programming Guide: Warp Match Functions
// Shows: lanes with one key share a reservation by their ranks
#include <cuda_runtime.h>

__device__ int count;

// safe: 1 of 1 pairs
__global__ void match(int *out, const int *in) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  unsigned peers = __match_any_sync(0xffffffffu, in[i]);
  int leader = __ffs(peers) - 1, base = 0;
  if (lane == leader) base = atomicAdd(&count, __popc(peers));
  base = __shfl_sync(peers, base, leader);
  out[base + __popc(peers & ((1u << lane) - 1))] = i;  // place
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
