// Section: CUDA C++ Core Libraries: cuda::atomic_ref
// Shows: release and acquire
#include <cuda_runtime.h>
#include <cuda/atomic>
using Near = cuda::atomic_ref<int, cuda::thread_scope_block>;
using Far = cuda::atomic_ref<int, cuda::thread_scope_device>;

// safe: 3 of 3 pairs
__global__ void atomic_ref_release(int *data, int *flag, int *out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    *data = 1;  // payload
    Far(*flag).store(1, cuda::memory_order_release);  // set
  } else {
    while (Far(*flag).load(cuda::memory_order_acquire) == 0) {}  // seen
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
  atomic_ref_release<<<2, 64>>>(data, flag, out);
  cudaDeviceSynchronize();
}
