// Section: PTX ISA: Memory Consistency Model: Fence-SC Order
// Shows: lesser fences before and behind barriers
#include <cuda_runtime.h>
#include <cuda/atomic>
using Near = cuda::atomic_ref<int, cuda::thread_scope_block>;
using Far = cuda::atomic_ref<int, cuda::thread_scope_device>;

// race: read use, write fill; global; grid
__global__ void fence_sc_through_barriers(int *data, int *flag, int *out) {
  int t = threadIdx.x;
  if (blockIdx.x == 0) {
    data[t] = t;  // fill
    cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_device);
    __syncthreads();
    if (t == 0) atomicExch(flag, 1);
  } else {
    if (t == 0) while (atomicAdd(flag, 0) == 0) {}
    __syncthreads();
    cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_device);
    out[blockIdx.x * 64 + t] = data[63 - t];  // use
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
  fence_sc_through_barriers<<<2, 64>>>(data, flag, out);
  cudaDeviceSynchronize();
}
