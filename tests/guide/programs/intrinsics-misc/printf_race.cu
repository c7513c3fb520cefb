// Section: CUDA C++ Programming Guide: Formatted Output
// Shows: what is printed is read, and printf() is no barrier
#include <stdio.h>

// race: read printed, write put; shared; warp
__global__ void report(int *out) {
  __shared__ int s[128];
  s[threadIdx.x] = threadIdx.x;  // put
  printf("%d has %d\n", threadIdx.x, s[threadIdx.x ^ 1]);  // printed
  out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

int main() {
  int *out;
  cudaMalloc(&out, 4 * 128 * sizeof(int));
  report<<<4, 128>>>(out);
  cudaDeviceSynchronize();
}
