// Section: PTX ISA: Parallel Synchronization Instructions: bar, barrier
// Shows: bar.warp.sync does not order the warps of a block
#include <cuda_runtime.h>

// race: read got, write put; shared; block
__global__ void k(const int *in, int *out) {
  __shared__ int s[128];
  int t = threadIdx.x;
  s[t] = in[t];  // put
  asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");
  out[blockIdx.x * 128 + t] = s[127 - t];  // got
}


int main() {
  int *in, *out;
  cudaMalloc(&in, 65536);
  cudaMalloc(&out, 65536);
  k<<<4, 128>>>(in, out);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
  return 0;
}
