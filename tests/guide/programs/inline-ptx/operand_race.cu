// Section: PTX ISA: Instruction Operands
// Shows: a result that is a place in memory, the same for all threads
#include <cuda_runtime.h>

// race: write result, write result; global; warp block
__global__ void k(const int *in, int *out) {
  asm("add.s32 %0, %1, 1;" : "=r"(out[blockIdx.x]) : "r"(in[threadIdx.x]));  // result
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
