// Section: PTX ISA: Data Movement and Conversion Instructions: cvta
// Shows: an exchange through the window of shared memory with a barrier
#include <cuda_runtime.h>

__device__ unsigned window(const void *p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

// safe: 3 of 3 pairs
__global__ void k(const int *in, int *out) {
  __shared__ int s[128];
  int t = threadIdx.x;
  asm volatile("st.shared.s32 [%0], %1;" :: "r"(window(s) + 4 * t), "r"(in[t]) : "memory");  // put
  __syncthreads();
  out[blockIdx.x * 128 + t] = s[t ^ 32];  // got
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
