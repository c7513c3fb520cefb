// Section: CUDA C++ Core Libraries: cuda::atomic_ref
// Shows: a lock with release and acquire
#include <cuda_runtime.h>
#include <cuda/atomic>
using Near = cuda::atomic_ref<int, cuda::thread_scope_block>;
using Far = cuda::atomic_ref<int, cuda::thread_scope_device>;

// safe: 2 of 2 pairs
__global__ void atomic_ref_lock(int *data, int *flag, int *out) {
  if (threadIdx.x != 0) return;
  while (Far(*flag).exchange(1, cuda::memory_order_acquire) != 0) {}
  *data += 1;  // update
  Far(*flag).store(0, cuda::memory_order_release);
}

int main() {
  int *data, *out;
  int *flag;
  cudaMalloc(&data, 1024);
  cudaMalloc(&out, 1024);
  cudaMalloc(&flag, 1024);
  cudaMemset(data, 0, 1024);
  cudaMemset(flag, 0, 1024);
  atomic_ref_lock<<<2, 64>>>(data, flag, out);
  cudaDeviceSynchronize();
}
