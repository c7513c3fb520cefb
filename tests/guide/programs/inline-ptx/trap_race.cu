// Section: PTX ISA: Miscellaneous Instructions: trap
// Shows: a trap that leaves one thread too many
#include <cuda_runtime.h>

// race: write store, write store; global; grid
__global__ void k(int *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x > 100) asm volatile("trap;");
  out[blockIdx.y * 100 + x] = x + blockIdx.y;  // store
}


int main() {
  int *out;
  cudaMalloc(&out, 65536);
  k<<<dim3(4, 10), 32>>>(out);
  cudaDeviceSynchronize();
  return 0;
}
