// Section: PTX ISA: Memory Consistency Model: volatile operations
// Shows: a plain store of what is loaded volatile
#include <cuda_runtime.h>

// race: read load, write store; global; warp block grid
__global__ void k(const int *in, int *out) {
  int v;
  asm volatile("ld.volatile.global.s32 %0, [%1];" : "=r"(v) : "l"(out) : "memory");  // load
  if (blockIdx.x == 0 && threadIdx.x == 0) out[0] = v + 1;  // store
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
