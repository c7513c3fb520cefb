// Section: CUDA C++ Programming Guide: Atomic Functions
// Shows: an atomic of the program's own, by compare-and-swap
#include <cuda_runtime.h>

__device__ double atomicAddOf(double *address, double value) {
  double old = *address;  // look
  *address = old + value;  // put
  return old;
}

// race: read look, write put; global; warp block grid
// race: write put, write put; global; warp block grid
__global__ void k(const double *in, double *sum) {
  atomicAddOf(sum, in[blockIdx.x * blockDim.x + threadIdx.x]);
}

int main() {
  double *in, *sum;
  cudaMalloc(&in, 1024 * sizeof(double));
  cudaMalloc(&sum, sizeof(double));
  k<<<8, 128>>>(in, sum);
  cudaDeviceSynchronize();
}
