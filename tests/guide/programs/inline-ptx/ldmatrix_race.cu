// Section: PTX ISA: Warp Level Matrix Instructions: ldmatrix
// Shows: rows that other warps have written
#include <cuda_runtime.h>

__device__ unsigned window(const void *p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

// race: read row, write put; shared; warp block
__global__ void k(const int *in, int *out) {
  __shared__ __align__(16) int s[512];
  int t = threadIdx.x;
  for (int i = t; i < 512; i += 128) s[i] = in[i];  // put
  unsigned row = window(s + 4 * t), d;
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(d) : "r"(row) : "memory");  // row
  out[blockIdx.x * 128 + t] = d;  // own
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
