// Section: PTX ISA: Memory Consistency Model: Causality Order
// Shows: a step within a block and a step between blocks
#include <cuda_runtime.h>
#include <cuda/atomic>
using Near = cuda::atomic_ref<int, cuda::thread_scope_block>;
using Far = cuda::atomic_ref<int, cuda::thread_scope_device>;

// safe: 8 of 8 pairs
__global__ void chain_of_scopes(int *data, int *flag, int *out) {
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    *data = 1;  // payload
    Near(flag[0]).store(1, cuda::memory_order_release);
  }
  if (blockIdx.x == 0 && threadIdx.x == 32) {
    while (Near(flag[0]).load(cuda::memory_order_acquire) == 0) {}
    Far(flag[1]).store(1, cuda::memory_order_release);
  }
  if (blockIdx.x == 1 && threadIdx.x == 0) {
    while (Far(flag[1]).load(cuda::memory_order_acquire) == 0) {}
    *out = *data;  // reader
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
  chain_of_scopes<<<2, 64>>>(data, flag, out);
  cudaDeviceSynchronize();
}
