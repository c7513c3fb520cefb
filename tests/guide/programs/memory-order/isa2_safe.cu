// Section: PTX ISA: Memory Consistency Model: Causality Order
// Shows: three blocks in a chain
#include <cuda_runtime.h>
#include <cuda/atomic>
using Near = cuda::atomic_ref<int, cuda::thread_scope_block>;
using Far = cuda::atomic_ref<int, cuda::thread_scope_device>;

// safe: 3 of 3 pairs
__global__ void isa2(int *data, int *flag, int *out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    *data = 1;  // payload
    Far(flag[0]).store(1, cuda::memory_order_release);  // set
  } else if (blockIdx.x == 1) {
    while (Far(flag[0]).load(cuda::memory_order_acquire) == 0) {}  // seen
    Far(flag[1]).store(1, cuda::memory_order_release);
  } else {
    while (Far(flag[1]).load(cuda::memory_order_acquire) == 0) {}
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
  isa2<<<3, 32>>>(data, flag, out);
  cudaDeviceSynchronize();
}
