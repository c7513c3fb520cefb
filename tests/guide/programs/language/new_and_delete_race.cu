// Section: CUDA C++ Programming Guide: Dynamic Global Memory Allocation and Operations
// Shows: memory that each thread allocates is its own
#include <cuda_runtime.h>

// race: write put, write put; global; grid
__global__ void k(const int *in, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int *own = new int[4];
  for (int j = 0; j < 4; j++) own[j] = in[i] + j;
  out[i % 512] = own[3];  // put
  delete[] own;
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 4096 * sizeof(int));
  cudaMalloc(&out, 4096 * sizeof(int));
  k<<<8, 128>>>(in, out);
  cudaDeviceSynchronize();
}
