// Section: CUDA C++ Programming Guide: Execution Configuration
// Shows: an index made of both axes of the block
#include <cuda_runtime.h>

// safe: 1 of 1 pairs
__global__ void k(int *out) { out[blockIdx.x * 64 + threadIdx.y * 16 + threadIdx.x] = threadIdx.y; }

int main() {
  int *out;
  cudaMalloc(&out, 512 * sizeof(int));
  k<<<8, dim3(16, 4)>>>(out);
}
