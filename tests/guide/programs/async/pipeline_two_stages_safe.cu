// Section: CUDA C++ Programming Guide: Asynchronous Data Copies: cuda::pipeline
// Shows: a stage is filled again behind a barrier
#include <cuda/pipeline>

// safe: 28 of 28 pairs
__global__ void sums(const int *in, int *out, int n) {
  __shared__ int s[2][128];
  auto pipe = cuda::make_pipeline();
  int t = threadIdx.x, sum = 0, stage = 0;
  pipe.producer_acquire();
  cuda::memcpy_async(&s[0][t], &in[t], sizeof(int), pipe);
  pipe.producer_commit();
  for (int i = 1; i <= n; ++i) {
    pipe.producer_acquire();
    if (i < n) cuda::memcpy_async(&s[stage ^ 1][t], &in[i * 128 + t], sizeof(int), pipe);
    pipe.producer_commit();
    pipe.consumer_wait();
    __syncthreads();
    sum += s[stage][127 - t];
    __syncthreads();
    pipe.consumer_release();
    stage ^= 1;
  }
  out[blockIdx.x * 128 + t] = sum;
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 64 * 128 * sizeof(int));
  cudaMalloc(&out, 16 * 128 * sizeof(int));
  sums<<<16, 128>>>(in, out, 64);
  cudaDeviceSynchronize();
}
