// Section: PTX ISA: Special Registers
// Shows: thread and block by their registers
#include <cuda_runtime.h>

// safe: 1 of 1 pairs
__global__ void k(const int *in, int *out) {
  int i;
  asm("{ .reg .u32 b; mov.u32 b, %%ctaid.x; mad.lo.u32 %0, b, %%ntid.x, %%tid.x; }" : "=r"(i));
  out[i] = threadIdx.x;  // store
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
