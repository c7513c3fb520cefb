// Section: CUDA C++ Programming Guide: __restrict__
// Shows: a pointer that is restricted where two lead to one array
#include <cuda_runtime.h>

// race: read shift, write shift; global; warp block grid
__global__ void k(const int *__restrict__ in, int *__restrict__ out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i + 1];  // shift
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 4096 * sizeof(int));
  cudaMalloc(&out, 4096 * sizeof(int));
  k<<<8, 128>>>(out, out);
  cudaDeviceSynchronize();
}
