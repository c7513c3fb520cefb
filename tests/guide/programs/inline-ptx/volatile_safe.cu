// Section: PTX ISA: Memory Consistency Model: volatile operations
// Shows: a volatile load of what is only read
#include <cuda_runtime.h>

// safe: 1 of 1 pairs
__global__ void k(const int *in, int *out) {
  int v, i = blockIdx.x * blockDim.x + threadIdx.x;
  asm volatile("ld.volatile.global.s32 %0, [%1];" : "=r"(v) : "l"(in) : "memory");
  out[i] = v + 1;  // store
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
