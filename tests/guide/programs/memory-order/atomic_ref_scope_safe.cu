// Section: CUDA C++ Core Libraries: cuda::atomic_ref
// Shows: a reference of the device
#include <cuda_runtime.h>
#include <cuda/atomic>
using Near = cuda::atomic_ref<int, cuda::thread_scope_block>;
using Far = cuda::atomic_ref<int, cuda::thread_scope_device>;

// safe: 0 of 0 pairs
__global__ void atomic_ref_scope(int *data, int *flag, int *out) {
  Far(*data).fetch_add(1);  // add
}

int main() {
  int *data, *out;
  int *flag;
  cudaMalloc(&data, 1024);
  cudaMalloc(&out, 1024);
  cudaMalloc(&flag, 1024);
  cudaMemset(data, 0, 1024);
  cudaMemset(flag, 0, 1024);
  atomic_ref_scope<<<2, 64>>>(data, flag, out);
  cudaDeviceSynchronize();
}
