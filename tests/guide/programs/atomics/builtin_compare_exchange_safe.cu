// Section: CUDA C++ Programming Guide: Built-in Atomic Functions
// Shows: a lock by a compare-and-swap that acquires
#include <cuda_runtime.h>

// safe: 2 of 2 pairs
__global__ void builtin_compare_exchange(int *data, int *flag, int *out) {
  if (threadIdx.x != 0) return;
  int free = 0;
  while (!__nv_atomic_compare_exchange_n(flag, &free, 1, false, __NV_ATOMIC_ACQUIRE, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE)) free = 0;
  *data += 1;  // update
  __nv_atomic_store_n(flag, 0, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
}

int main() {
  int *data, *out;
  int *flag;
  cudaMalloc(&data, 1024);
  cudaMalloc(&out, 1024);
  cudaMalloc(&flag, 1024);
  cudaMemset(data, 0, 1024);
  cudaMemset(flag, 0, 1024);
  builtin_compare_exchange<<<2, 64>>>(data, flag, out);
  cudaDeviceSynchronize();
}
