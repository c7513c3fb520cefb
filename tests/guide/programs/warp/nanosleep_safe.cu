// Section: CUDA C++ Programming Guide: Nanosleep Function
// Shows: a barrier orders what a pause does not
#include <cuda_runtime.h>

// safe: 3 of 3 pairs
__global__ void pause(int *out, const int *in) {
  __shared__ int slot[256];
  int t = threadIdx.x;
  slot[t] = in[t];  // mine
  __nanosleep(1000);
  __syncthreads();
  out[blockIdx.x * 256 + t] = slot[255 - t];  // other
}

int main() {
  int *out, *in;
  cudaMalloc(&out, 1 << 16);
  cudaMalloc(&in, 1 << 16);
  cudaMemset(out, 0, 1 << 16);
  pause<<<4, 256>>>(out, in);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
  return 0;
}
