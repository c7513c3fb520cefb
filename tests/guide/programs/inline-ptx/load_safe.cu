// Section: PTX ISA: Data Movement and Conversion Instructions: ld
// Shows: a load of what is only read
#include <cuda_runtime.h>

// safe: 1 of 1 pairs
__global__ void k(const int *in, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, v;
  asm volatile("ld.global.nc.s32 %0, [%1+512];" : "=r"(v) : "l"(in + i));
  out[i] = v;  // stored
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
