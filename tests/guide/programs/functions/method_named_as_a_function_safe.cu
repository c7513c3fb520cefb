// Section: CUDA C++ Programming Guide: Atomic Functions
// Shows: a method with the name of a library function
#include <cuda_runtime.h>

struct Pool {
  unsigned *used;
  __device__ void free(int slot) { atomicAnd(&used[slot / 32], ~(1u << (slot % 32))); }  // bits
};

// safe: 0 of 0 pairs
__global__ void k(Pool pool, const int *slots) {
  pool.free(slots[blockIdx.x * blockDim.x + threadIdx.x] & 1023);
}

int main() {
  Pool pool;
  int *slots;
  cudaMalloc(&pool.used, 32 * sizeof(unsigned));
  cudaMalloc(&slots, 1024 * sizeof(int));
  k<<<8, 128>>>(pool, slots);
  cudaDeviceSynchronize();
}
