// Section: CUDA Math API: Single Precision Mathematical Functions
// Shows: sincosf stores two results through pointers
#include <cuda_runtime.h>

// race: write cosine, write sine; global; warp block grid (data-dependent)
__global__ void k(const float *in, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s, c;
  sincosf(in[i], &s, &c);
  if (s > c) out[i] = s;  // sine
  else out[i + 1] = c;  // cosine
}

int main() {
  float *in, *out;
  cudaMalloc(&in, 4096 * sizeof(float));
  cudaMalloc(&out, 4096 * sizeof(float));
  k<<<8, 128>>>(in, out);
  cudaDeviceSynchronize();
}
