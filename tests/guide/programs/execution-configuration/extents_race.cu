// Section: CUDA C++ Programming Guide: Execution Configuration
// Shows: an index that leaves out an axis of the block
#include <cuda_runtime.h>

// race: write line0, write line0; global; warp block
__global__ void k(int *out) { out[blockIdx.x * 64 + threadIdx.x] = threadIdx.y; }  // line0

int main() {
  int *out;
  cudaMalloc(&out, 512 * sizeof(int));
  k<<<8, dim3(16, 4)>>>(out);
}
