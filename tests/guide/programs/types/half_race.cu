// Section: CUDA Math API: Half Arithmetic Functions
// Shows: half numbers in shared memory are read without a barrier
#include <cuda_fp16.h>

// race: read get, write put; shared; block
__global__ void sums(float *out) {
  __shared__ __half s[128];
  int t = threadIdx.x;
  s[t] = __float2half(0.5f * t);  // put
  __half sum = __hadd(s[t], s[127 - t]);  // get
  out[blockIdx.x * blockDim.x + t] = __half2float(sum);
}

int main() {
  float *out;
  cudaMalloc(&out, 4 * 128 * sizeof(float));
  sums<<<4, 128>>>(out);
  cudaDeviceSynchronize();
}
