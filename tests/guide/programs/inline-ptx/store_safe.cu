// Section: PTX ISA: Data Movement and Conversion Instructions: st
// Shows: a store to a place of each thread's own
#include <cuda_runtime.h>

// safe: 1 of 1 pairs
__global__ void k(const int *in, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  asm volatile("st.global.s32 [%0], %1;" :: "l"(out + i), "r"(i) : "memory");  // store
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
