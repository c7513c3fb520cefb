// Section: PTX ISA: Miscellaneous Instructions: trap
// Shows: a trap for all threads behind the end of the row
#include <cuda_runtime.h>

// safe: 1 of 1 pairs
__global__ void k(int *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= 100) asm volatile("trap;");
  out[blockIdx.y * 100 + x] = x + blockIdx.y;  // store
}


int main() {
  int *out;
  cudaMalloc(&out, 65536);
  k<<<dim3(4, 10), 32>>>(out);
  cudaDeviceSynchronize();
  return 0;
}
