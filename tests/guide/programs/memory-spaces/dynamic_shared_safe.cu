// Section: CUDA C++ Programming Guide: Execution Configuration
// Shows: two arrays in dynamic shared memory side by side
#include <cuda_runtime.h>
extern __shared__ int buffer[];
// safe: 8 of 8 pairs
__global__ void k(int *out) {
  int *first = buffer, *second = buffer + 128;
  first[threadIdx.x] = threadIdx.x;
  second[threadIdx.x] = threadIdx.x + 1;
  __syncthreads();
  out[threadIdx.x] = first[threadIdx.x] + second[threadIdx.x];
}

int main() {
  int *out;
  cudaMalloc(&out, 128 * sizeof(int));
  k<<<1, 128, 256 * sizeof(int)>>>(out);
}
