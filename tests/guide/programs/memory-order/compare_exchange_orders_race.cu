// Section: CUDA C++ Core Libraries: cuda::atomic
// Shows: only the order of failure acquires
#include <cuda_runtime.h>
#include <cuda/atomic>
__device__ cuda::atomic<int, cuda::thread_scope_device> ready(0);

// race: read reader, write payload; global; grid
__global__ void compare_exchange_orders(int *data, int *flag, int *out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    *data = 1;  // payload
    ready.store(1, cuda::memory_order_release);  // set
  } else {
    int one = 1;
    while (!ready.compare_exchange_weak(one, 2, cuda::memory_order_relaxed, cuda::memory_order_acquire)) one = 1;  // seen
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
  compare_exchange_orders<<<2, 64>>>(data, flag, out);
  cudaDeviceSynchronize();
}
