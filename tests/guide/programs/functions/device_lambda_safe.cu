// Section: CUDA C++ Programming Guide: Lambda Expressions
// Shows: a lambda that stores through what it has captured
#include <cuda_runtime.h>

template <class F> __device__ void twice(F f, int i) {
  f(i);
  f(i + 1024);
}

// safe: 3 of 3 pairs
__global__ void k(const int *in, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  auto put = [=](int place) { out[place] = in[i]; };  // put
  twice(put, i);
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 4096 * sizeof(int));
  cudaMalloc(&out, 4096 * sizeof(int));
  k<<<8, 128>>>(in, out);
  cudaDeviceSynchronize();
}
