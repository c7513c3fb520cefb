// Section: CUDA C++ Core Libraries: cuda::std::atomic_flag
// Shows: a flag that is set with release order
#include <cuda_runtime.h>
#include <cuda/std/atomic>
__device__ cuda::std::atomic_flag raised;

// safe: 3 of 3 pairs
__global__ void atomic_flag(int *data, int *flag, int *out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    *data = 1;  // payload
    raised.test_and_set(cuda::std::memory_order_release);  // set
  } else {
    while (!raised.test(cuda::std::memory_order_acquire)) {}  // seen
    out[blockIdx.x] = *data;  // reader
  }
}

int main() {
  int *data, *out;
  int *flag;
  cudaMalloc(&data, 1024);
  cudaMalloc(&out, 1024);
  cudaMalloc(&flag, 1024);
  cudaMemset(data, 0, 1024);
  cudaMemset(flag, 0, 1024);
  atomic_flag<<<2, 64>>>(data, flag, out);
  cudaDeviceSynchronize();
}
