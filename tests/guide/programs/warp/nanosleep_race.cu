// Section: CUDA C++ Programming Guide: Nanosleep Function
// Shows: a pause orders nothing
#include <cuda_runtime.h>

// race: read other, write mine; shared; block
__global__ void pause(int *out, const int *in) {
  __shared__ int slot[256];
  int t = threadIdx.x;
  slot[t] = in[t];  // mine
  __nanosleep(1000);
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
