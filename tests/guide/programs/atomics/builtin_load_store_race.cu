// Section: CUDA C++ Programming Guide: Built-in Atomic Functions
// Shows: a relaxed store
#include <cuda_runtime.h>

// race: read reader, write payload; global; grid
__global__ void builtin_load_store(int *data, int *flag, int *out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    *data = 1;  // payload
    __nv_atomic_store_n(flag, 1, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);  // set
  } else {
    while (__nv_atomic_load_n(flag, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE) == 0) {}  // seen
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
  builtin_load_store<<<2, 64>>>(data, flag, out);
  cudaDeviceSynchronize();
}
