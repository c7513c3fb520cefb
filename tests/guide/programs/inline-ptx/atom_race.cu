// Section: PTX ISA: Parallel Synchronization Instructions: atom
// Shows: a slot that is loaded and stored
#include <cuda_runtime.h>

// race: read load, write store; global; warp block grid
// race: write store, write store; global; warp block grid
__global__ void k(const int *in, int *out) {
  int slot;
  asm volatile("ld.global.s32 %0, [%1];" : "=r"(slot) : "l"(out) : "memory");  // load
  asm volatile("st.global.s32 [%0], %1;" :: "l"(out), "r"(slot + 1) : "memory");  // store
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
