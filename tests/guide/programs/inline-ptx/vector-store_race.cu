// Section: PTX ISA: Vectors
// Shows: vectors of two that overlap
#include <cuda_runtime.h>

// race: write pair, write pair; global; warp block grid
__global__ void k(const int *in, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  asm volatile("st.global.v2.s32 [%0], {%1, %2};" :: "l"(out + i), "r"(i), "r"(-i) : "memory");  // pair
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
