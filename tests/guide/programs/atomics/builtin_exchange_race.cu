// Section: CUDA C++ Programming Guide: Built-in Atomic Functions
// Shows: an exchange that acquires only
#include <cuda_runtime.h>

// race: read reader, write payload; global; grid
__global__ void builtin_exchange(int *data, int *flag, int *out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    *data = 1;  // payload
    __nv_atomic_exchange_n(flag, 1, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE);  // set
  } else {
    while (__nv_atomic_fetch_or(flag, 0, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE) == 0) {}  // seen
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
  builtin_exchange<<<2, 64>>>(data, flag, out);
  cudaDeviceSynchronize();
}
