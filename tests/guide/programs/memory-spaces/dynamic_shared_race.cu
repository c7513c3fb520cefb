// Section: CUDA C++ Programming Guide: Execution Configuration
// Shows: two arrays in dynamic shared memory that overlap
#include <cuda_runtime.h>
extern __shared__ int buffer[];
// race: write line0, write line1; shared; block
__global__ void k(int *out) {
  int *first = buffer, *second = buffer + 64;
  first[threadIdx.x] = threadIdx.x;  // line0
  second[threadIdx.x] = threadIdx.x + 1;  // line1
  __syncthreads();
  out[threadIdx.x] = first[threadIdx.x] + second[threadIdx.x];
}

int main() {
  int *out;
  cudaMalloc(&out, 128 * sizeof(int));
  k<<<1, 128, 256 * sizeof(int)>>>(out);
}
