// Section: PTX ISA: Parallel Synchronization Instructions: bar.red
// Shows: a vote of a warp orders no memory
#include <cuda_runtime.h>

// race: read got, write put; shared; block
__global__ void k(const int *in, int *out) {
  __shared__ int s[128];
  int t = threadIdx.x;
  s[t] = in[t];  // put
  int votes;
  asm volatile("{ .reg .pred p, q; setp.ne.s32 p, %1, 0; vote.sync.any.pred q, p, 0xffffffff; selp.s32 %0, 1, 0, q; }"
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
