// Section: PTX ISA: Control Flow Instructions: exit
// Shows: all threads but the first exit
#include <cuda_runtime.h>

// safe: 1 of 1 pairs
__global__ void k(const int *in, int *out) {
  if (threadIdx.x > 0) asm volatile("exit;");
  out[blockIdx.x] = in[threadIdx.x];  // store
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
