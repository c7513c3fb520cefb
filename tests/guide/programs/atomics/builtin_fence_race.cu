// Section: CUDA C++ Programming Guide: Built-in Atomic Functions
// Shows: fences of a block around relaxed atomics
#include <cuda_runtime.h>

// race: read reader, write payload; global; grid
__global__ void builtin_fence(int *data, int *flag, int *out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    *data = 1;  // payload
    __nv_atomic_thread_fence(__NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_BLOCK);
    __nv_atomic_store_n(flag, 1, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_SYSTEM);  // set
  } else {
    while (__nv_atomic_load_n(flag, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_SYSTEM) == 0) {}  // seen
    __nv_atomic_thread_fence(__NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_BLOCK);
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
  builtin_fence<<<2, 64>>>(data, flag, out);
  cudaDeviceSynchronize();
}
