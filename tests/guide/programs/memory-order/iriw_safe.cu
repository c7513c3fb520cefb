// Section: PTX ISA: Memory Consistency Model: Morally Strong Operations
// Shows: independent reads of independent atomics
#include <cuda_runtime.h>
#include <cuda/atomic>
using Near = cuda::atomic_ref<int, cuda::thread_scope_block>;
using Far = cuda::atomic_ref<int, cuda::thread_scope_device>;

// safe: 3 of 3 pairs
__global__ void iriw(int *data, int *flag, int *out) {
  if (threadIdx.x != 0) return;
  switch (blockIdx.x) {
    case 0: Far(data[0]).store(1, cuda::memory_order_relaxed); break;  // one
    case 1: Far(data[1]).store(1, cuda::memory_order_relaxed); break;
    case 2: out[0] = Far(data[0]).load(cuda::memory_order_acquire) + 2 * Far(data[1]).load(cuda::memory_order_acquire); break;  // there
    default: out[1] = Far(data[1]).load(cuda::memory_order_acquire) + 2 * Far(data[0]).load(cuda::memory_order_acquire); break;  // back
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
  iriw<<<4, 32>>>(data, flag, out);
  cudaDeviceSynchronize();
}
