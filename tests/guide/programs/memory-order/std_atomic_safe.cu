// Section: CUDA C++ Core Libraries: cuda::std::atomic
// Shows: a reference of the standard library, of the system
#include <cuda_runtime.h>
#include <cuda/std/atomic>

// safe: 3 of 3 pairs
__global__ void std_atomic(int *data, int *flag, int *out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    *data = 1;  // payload
    cuda::std::atomic_ref<int>(*flag).store(1, cuda::std::memory_order_release);  // set
  } else {
    while (cuda::std::atomic_ref<int>(*flag).load(cuda::std::memory_order_acquire) == 0) {}  // seen
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
  std_atomic<<<2, 64>>>(data, flag, out);
  cudaDeviceSynchronize();
}
