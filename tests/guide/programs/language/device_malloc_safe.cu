// Section: CUDA C++ Programming Guide: Dynamic Global Memory Allocation and Operations
// Shows: memory that each thread allocates with malloc is its own
#include <cuda_runtime.h>

// safe: 1 of 1 pairs
__global__ void k(const int *in, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int *own = (int *)malloc(2 * sizeof(int));
  own[0] = in[i];
  own[1] = own[0] * own[0];
  out[i] = own[1];  // put
  free(own);
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 4096 * sizeof(int));
  cudaMalloc(&out, 4096 * sizeof(int));
  k<<<8, 128>>>(in, out);
  cudaDeviceSynchronize();
}
