// Section: CUDA C++ Programming Guide: Warp Vote Functions
// Shows: a barrier that all threads pass, after a vote
#include <cuda_runtime.h>

// safe: 3 of 3 pairs
__global__ void all(int *out, const int *in) {
  __shared__ int tile[256];
  int t = threadIdx.x;
  int agreed = __all_sync(0xffffffffu, in[t] > 0);
  tile[t] = in[t] + agreed;  // mine
  __syncthreads();  // together
  out[blockIdx.x * 256 + t] = tile[255 - t];  // other
}

int main() {
  int *out, *in;
  cudaMalloc(&out, 1 << 16);
  cudaMalloc(&in, 1 << 16);
  cudaMemset(out, 0, 1 << 16);
  all<<<4, 256>>>(out, in);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
  return 0;
}
