// Section: PTX ISA: Data Movement and Conversion Instructions: shfl.sync
// Shows: a shuffle and a barrier of the warp
#include <cuda_runtime.h>

// safe: 3 of 3 pairs
__global__ void k(const int *in, int *out) {
  __shared__ int s[32];
  int t = threadIdx.x, v;
  s[t] = in[t];  // put
  asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 0x1f, 0xffffffff;" : "=r"(v) : "r"(t));
  __syncwarp();
  out[t] = s[31 - t] + v;  // got
}


int main() {
  int *in, *out;
  cudaMalloc(&in, 65536);
  cudaMalloc(&out, 65536);
  k<<<1, 32>>>(in, out);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
  return 0;
}
