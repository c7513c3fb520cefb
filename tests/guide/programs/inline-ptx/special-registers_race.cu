// Section: PTX ISA: Special Registers
// Shows: the lane, where the thread is meant
#include <cuda_runtime.h>

// race: write store, write store; global; block
__global__ void k(const int *in, int *out) {
  int i;
  asm("mov.u32 %0, %%laneid;" : "=r"(i));
  out[blockIdx.x * 128 + i] = threadIdx.x;  // store
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
