// Section: PTX ISA: Parallel Synchronization Instructions: red
// Shows: additions of block scope to a place of all blocks
#include <cuda_runtime.h>

// race: atomic add, atomic add; global; grid
__global__ void k(const int *in, int *out) {
  asm volatile("red.relaxed.cta.global.add.s32 [%0], %1;" :: "l"(out), "r"(in[threadIdx.x]) : "memory");  // add
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
