// Section: PTX ISA: Predicated Execution
// Shows: a store that all threads but one make
#include <cuda_runtime.h>

// race: write store, write store; global; warp block
__global__ void k(const int *in, int *out) {
  int *p = out + blockIdx.x;
  asm volatile("{ .reg .pred q; setp.eq.u32 q, %1, 0; @!q st.global.u32 [%0], %1; }"  // store
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
