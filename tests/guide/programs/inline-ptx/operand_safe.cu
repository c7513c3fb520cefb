// Section: PTX ISA: Instruction Operands
// Shows: a result that is a place of the thread's own
#include <cuda_runtime.h>

// safe: 1 of 1 pairs
__global__ void k(const int *in, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  asm("add.s32 %0, %1, 1;" : "=r"(out[i]) : "r"(in[i]));  // result
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
