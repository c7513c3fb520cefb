// Section: CUDA C++ Programming Guide: Formatted Output
// Shows: printf orders nothing
#include <cstdio>

// safe: 4 of 4 pairs
__global__ void k(const int *in, int *out) {
  __shared__ int tile[128];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  tile[t] = in[i];  // put
  printf("%d %d\n", i, tile[t]);
  __syncthreads();
  out[i] = tile[127 - t];  // mirror
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 4096 * sizeof(int));
  cudaMalloc(&out, 4096 * sizeof(int));
  k<<<8, 128>>>(in, out);
  cudaDeviceSynchronize();
}
