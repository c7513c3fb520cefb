// Section: CUDA C++ Core Libraries: cuda::atomic_thread_fence
// Shows: fences of the block
#include <cuda_runtime.h>
#include <cuda/atomic>
using Near = cuda::atomic_ref<int, cuda::thread_scope_block>;
using Far = cuda::atomic_ref<int, cuda::thread_scope_device>;

// race: read reader, write payload; global; grid
__global__ void thread_fence_scope(int *data, int *flag, int *out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    *data = 1;  // payload
    cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_block);
    Far(*flag).store(1, cuda::memory_order_relaxed);  // set
  } else {
    while (Far(*flag).load(cuda::memory_order_relaxed) == 0) {}  // seen
    cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_block);
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
  thread_fence_scope<<<2, 64>>>(data, flag, out);
  cudaDeviceSynchronize();
}
