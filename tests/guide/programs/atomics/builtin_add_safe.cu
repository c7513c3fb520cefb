// Section: CUDA C++ Programming Guide: Built-in Atomic Functions
// Shows: additions at the scope of the device
#include <cuda_runtime.h>

// safe: 0 of 0 pairs
__global__ void builtin_add(int *data, int *flag, int *out) {
  __nv_atomic_add(data, 1, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);  // add
  __nv_atomic_fetch_max(data, 5, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);  // most
}

int main() {
  int *data, *out;
  int *flag;
  cudaMalloc(&data, 1024);
  cudaMalloc(&out, 1024);
  cudaMalloc(&flag, 1024);
  cudaMemset(data, 0, 1024);
  cudaMemset(flag, 0, 1024);
  builtin_add<<<2, 64>>>(data, flag, out);
  cudaDeviceSynchronize();
}
