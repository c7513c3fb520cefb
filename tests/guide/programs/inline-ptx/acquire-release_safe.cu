// Section: PTX ISA: Memory Consistency Model: release and acquire
// Shows: a flag released and acquired
#include <cuda_runtime.h>

__device__ int ready;

__device__ int seen(const int *flag) {
  int value;
  asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
  return value;
}

// safe: 5 of 5 pairs
__global__ void k(int *out) {
  int *flag = &ready;
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    out[1] = 7;  // data
    asm volatile("st.release.gpu.global.s32 [%0], 1;" :: "l"(flag) : "memory");
  } else {
    while (seen(flag) == 0) {}
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
