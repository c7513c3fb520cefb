// Section: CUDA C++ Programming Guide: Warp Vote Functions
// Shows: the first of the active lanes reserves room for all of them
#include <cuda_runtime.h>

__device__ int count;

// safe: 1 of 1 pairs
__global__ void active(int *out, const int *in) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  if (in[i] > 0) {
    unsigned here = __activemask();
    int leader = __ffs(here) - 1, base = 0;
    if (lane == leader) base = atomicAdd(&count, __popc(here));
    base = __shfl_sync(here, base, leader);
    out[base + __popc(here & ((1u << lane) - 1))] = i;  // place
  }
}

int main() {
  int *out, *in;
  cudaMalloc(&out, 1 << 16);
  cudaMalloc(&in, 1 << 16);
  cudaMemset(out, 0, 1 << 16);
  active<<<4, 256>>>(out, in);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
  return 0;
}
