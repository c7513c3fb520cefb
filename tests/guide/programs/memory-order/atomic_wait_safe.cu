// Section: CUDA C++ Core Libraries: cuda::atomic
// Shows: a wait with acquire order
#include <cuda_runtime.h>
#include <cuda/atomic>
__device__ cuda::atomic<int, cuda::thread_scope_device> ready(0);

// safe: 3 of 3 pairs
__global__ void atomic_wait(int *data, int *flag, int *out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    *data = 1;  // payload
    ready.store(1, cuda::memory_order_release);
    ready.notify_all();
  } else {
    ready.wait(0, cuda::memory_order_acquire);
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
  atomic_wait<<<2, 64>>>(data, flag, out);
  cudaDeviceSynchronize();
}
