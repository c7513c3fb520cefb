// Section: CUDA Math API: Single Precision Mathematical Functions
// Shows: results that are stored to shared memory
#include <cuda_runtime.h>

// safe: 5 of 5 pairs
__global__ void k(const float *in, float *out) {
  __shared__ float sines[128], cosines[128];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  sincospif(in[i], &sines[t], &cosines[t]);  // stored
  __syncthreads();
  out[i] = sines[127 - t] + cosines[t];  // read
}

int main() {
  float *in, *out;
  cudaMalloc(&in, 4096 * sizeof(float));
  cudaMalloc(&out, 4096 * sizeof(float));
  k<<<8, 128>>>(in, out);
  cudaDeviceSynchronize();
}
