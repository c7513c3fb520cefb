// Section: CUDA C++ Core Libraries: cuda::atomic
// Shows: an object of the block
#include <cuda_runtime.h>
#include <cuda/atomic>
__device__ cuda::atomic<int, cuda::thread_scope_device> ready(0);
__device__ cuda::atomic<int, cuda::thread_scope_block> near(0);

// race: atomic seen, atomic set; global; grid (data-dependent)
// race: read reader, write payload; global; grid
__global__ void atomic_object(int *data, int *flag, int *out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    *data = 1;  // payload
    near.store(1, cuda::memory_order_release);  // set
  } else {
    while (near.load(cuda::memory_order_acquire) == 0) {}  // seen
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
  atomic_object<<<2, 64>>>(data, flag, out);
  cudaDeviceSynchronize();
}
