// Section: PTX ISA: Memory Consistency Model: Morally Strong Operations
// Shows: one of the writes is plain
#include <cuda_runtime.h>
#include <cuda/atomic>
using Near = cuda::atomic_ref<int, cuda::thread_scope_block>;
using Far = cuda::atomic_ref<int, cuda::thread_scope_device>;

// race: atomic back, write one; global; grid
// race: atomic there, write one; global; grid
__global__ void iriw(int *data, int *flag, int *out) {
  if (threadIdx.x != 0) return;
  switch (blockIdx.x) {
    case 0: data[0] = 1; break;  // one
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
