// Section: CUDA Math API: Single Precision Mathematical Functions
// Shows: results that are integers, through pointers
#include <cuda_runtime.h>

// safe: 1 of 1 pairs
__global__ void k(const float *in, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, exponent, quotient;
  frexpf(in[i], &exponent);
  remquof(in[i], 3.0f, &quotient);
  out[i] = exponent + quotient;  // sum
}

int main() {
  float *in;
  int *out;
  cudaMalloc(&in, 1024 * sizeof(float));
  cudaMalloc(&out, 1024 * sizeof(int));
  k<<<8, 128>>>(in, out);
  cudaDeviceSynchronize();
}
