// Section: PTX ISA: Parallel Synchronization Instructions: membar
// Shows: membar.gl on both sides
#include <cuda_runtime.h>

__device__ int ready;

__device__ int seen(const int *flag) {
  int value;
  asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
  return value;
}

// safe: 5 of 5 pairs
__global__ void k(int *out) {
  int *flag = &ready;
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    out[1] = 7;  // data
    asm volatile("membar.gl;" ::: "memory");
    asm volatile("st.relaxed.gpu.global.s32 [%0], 1;" :: "l"(flag) : "memory");
  } else {
    while (seen(flag) == 0) {}
    asm volatile("membar.gl;" ::: "memory");
    out[2] = out[1];  // use
  }
}


int main() {
  int *out;
  cudaMalloc(&out, 64);
  k<<<2, 32>>>(out);
  cudaDeviceSynchronize();
  return 0;
}
