// Section: CUDA C++ Programming Guide: Asynchronous Data Copies: Pipeline Primitives Interface
// Shows: the wait shows a copy to the thread that has made it, and to no other
#include <cuda_pipeline.h>

// race: read take, write copy; shared; block
__global__ void mirror(const int *in, int *out) {
  __shared__ int s[128];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&s[t], &in[blockIdx.x * 128 + t], sizeof(int));  // copy
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[blockIdx.x * 128 + t] = s[127 - t];  // take
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 16 * 128 * sizeof(int));
  cudaMalloc(&out, 16 * 128 * sizeof(int));
  mirror<<<16, 128>>>(in, out);
  cudaDeviceSynchronize();
}
