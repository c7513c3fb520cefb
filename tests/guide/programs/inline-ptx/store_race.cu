// Section: PTX ISA: Data Movement and Conversion Instructions: st
// Shows: a store that all threads make to one place
#include <cuda_runtime.h>

// race: write store, write store; global; warp block grid
__global__ void k(const int *in, int *out) {
  asm volatile("st.global.s32 [%0], %1;" :: "l"(out), "r"(threadIdx.x) : "memory");  // store
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
