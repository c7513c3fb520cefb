// Section: CUDA C++ Programming Guide: Asynchronous Data Copies: Pipeline Primitives Interface
// Shows: a barrier behind the wait shows it to the block
#include <cuda_pipeline.h>

// safe: 6 of 6 pairs
__global__ void mirror(const int *in, int *out) {
  __shared__ int s[128];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&s[t], &in[blockIdx.x * 128 + t], sizeof(int));  // copy
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[blockIdx.x * 128 + t] = s[127 - t];  // take
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 16 * 128 * sizeof(int));
  cudaMalloc(&out, 16 * 128 * sizeof(int));
  mirror<<<16, 128>>>(in, out);
  cudaDeviceSynchronize();
}
