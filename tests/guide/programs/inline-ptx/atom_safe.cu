// Section: PTX ISA: Parallel Synchronization Instructions: atom
// Shows: a slot that is drawn atomically
#include <cuda_runtime.h>

// safe: 0 of 0 pairs
__global__ void k(const int *in, int *out) {
  int slot;
  asm volatile("atom.global.add.s32 %0, [%1], 1;" : "=r"(slot) : "l"(out) : "memory");  // draw
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
