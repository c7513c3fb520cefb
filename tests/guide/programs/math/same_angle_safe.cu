// Section: CUDA Math API: Single Precision Mathematical Functions
// Shows: a branch on the sine of one angle is the same for all threads
#include <cuda_runtime.h>

// safe: 3 of 3 pairs
__global__ void k(const float *in, float *out) {
  __shared__ float tile[128];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  float s, c;
  sincosf(in[0], &s, &c);
  tile[t] = c;
  if (s > c) __syncthreads();  // wait
  out[i] = tile[t];
}

int main() {
  float *in, *out;
  cudaMalloc(&in, 4096 * sizeof(float));
  cudaMalloc(&out, 4096 * sizeof(float));
  k<<<8, 128>>>(in, out);
  cudaDeviceSynchronize();
}
