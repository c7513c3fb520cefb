// Section: CUDA C++ Programming Guide: Atomic Functions
// Shows: an atomic of the program's own, by compare-and-swap
#include <cuda_runtime.h>

__device__ double atomicAddOf(double *address, double value) {
  unsigned long long *bits = (unsigned long long *)address, old = atomicAdd(bits, 0ull), seen;
  do {
    seen = old;
    old = atomicCAS(bits, seen, __double_as_longlong(value + __longlong_as_double(seen)));
  } while (seen != old);
  return __longlong_as_double(old);
}

// safe: 0 of 0 pairs
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
