// Section: CUDA C++ Programming Guide: Extended Lambdas
// Shows: a device lambda that host code hands to a kernel
#include <cuda_runtime.h>

template <class F>
// safe: 1 of 1 pairs
__global__ void k(F f, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) f(i);
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 4096 * sizeof(int));
  cudaMalloc(&out, 4096 * sizeof(int));
  k<<<8, 128>>>([=] __device__(int i) { out[i] = in[i]; }, 1000);  // lambda
  cudaDeviceSynchronize();
}
