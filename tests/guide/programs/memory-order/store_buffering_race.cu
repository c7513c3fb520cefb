// Section: PTX ISA: Memory Consistency Model: Morally Strong Operations
// Shows: two flags by atomics of a block
#include <cuda_runtime.h>
#include <cuda/atomic>
using Near = cuda::atomic_ref<int, cuda::thread_scope_block>;
using Far = cuda::atomic_ref<int, cuda::thread_scope_device>;

// race: atomic first, atomic fourth; global; grid
// race: atomic second, atomic third; global; grid
__global__ void store_buffering(int *data, int *flag, int *out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    Near(flag[0]).store(1, cuda::memory_order_relaxed);  // first
    out[0] = Near(flag[1]).load(cuda::memory_order_relaxed);  // third
  } else {
    Near(flag[1]).store(1, cuda::memory_order_relaxed);  // second
    out[1] = Near(flag[0]).load(cuda::memory_order_relaxed);  // fourth
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
  store_buffering<<<2, 64>>>(data, flag, out);
  cudaDeviceSynchronize();
}
