// Section: CUDA C++ Programming Guide: __noinline__ and __forceinline__
// Shows: a function that is not inlined
#include <cuda_runtime.h>

__noinline__ __device__ void put(int *out, int place, int value) { out[place] = value; }  // put
__forceinline__ __device__ int place_of(int i) { return i ^ 1; }

// safe: 1 of 1 pairs
__global__ void k(const int *in, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  put(out, place_of(i), in[i]);
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 4096 * sizeof(int));
  cudaMalloc(&out, 4096 * sizeof(int));
  k<<<8, 128>>>(in, out);
  cudaDeviceSynchronize();
}
