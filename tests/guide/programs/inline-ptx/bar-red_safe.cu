// Section: PTX ISA: Parallel Synchronization Instructions: bar.red
// Shows: a vote at a barrier orders the block
#include <cuda_runtime.h>

// safe: 3 of 3 pairs
__global__ void k(const int *in, int *out) {
  __shared__ int s[128];
  int t = threadIdx.x;
  s[t] = in[t];  // put
  int votes;
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; bar.red.popc.u32 %0, 0, p; }"
               : "=r"(votes) : "r"(in[t]) : "memory");
  out[blockIdx.x * 128 + t] = s[127 - t] + votes;  // got
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
