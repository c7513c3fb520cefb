// Section: CUDA C++ Programming Guide: Dynamic Global Memory Allocation and Operations
// Shows: memory of one thread that it hands to its block
#include <cuda_runtime.h>

// safe: 3 of 3 pairs
__global__ void k(const int *in, int *out) {
  __shared__ int *data;
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  if (t == 0) data = (int *)malloc(blockDim.x * sizeof(int));  // made
  __syncthreads();
  int *found = data;  // found
  out[i] = found == nullptr ? 0 : in[i];
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 4096 * sizeof(int));
  cudaMalloc(&out, 4096 * sizeof(int));
  k<<<8, 128>>>(in, out);
  cudaDeviceSynchronize();
}
