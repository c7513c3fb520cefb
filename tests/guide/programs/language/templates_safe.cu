// Section: CUDA C++ Programming Guide: Templates
// Shows: a kernel template with a stride
#include <cuda_runtime.h>

template <class T, int STRIDE>
// safe: 1 of 1 pairs
__global__ void k(const T *in, T *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 4; j++) out[i * STRIDE + j] = in[i];  // row
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 4096 * sizeof(int));
  cudaMalloc(&out, 8192 * sizeof(int));
  k<int, 4><<<8, 128>>>(in, out);
  cudaDeviceSynchronize();
}
