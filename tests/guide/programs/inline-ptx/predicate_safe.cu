// Section: PTX ISA: Predicated Execution
// Shows: a store that one thread of the block makes
#include <cuda_runtime.h>

// safe: 1 of 1 pairs
__global__ void k(const int *in, int *out) {
  int *p = out + blockIdx.x;
  asm volatile("{ .reg .pred q; setp.eq.u32 q, %1, 0; @q st.global.u32 [%0], %1; }"  // store
               :: "l"(p), "r"(threadIdx.x) : "memory");
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
