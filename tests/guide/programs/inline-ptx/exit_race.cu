// Section: PTX ISA: Control Flow Instructions: exit
// Shows: threads that exit too late
#include <cuda_runtime.h>

// race: write store, write store; global; warp
__global__ void k(const int *in, int *out) {
  if (threadIdx.x > 1) asm volatile("exit;");
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
