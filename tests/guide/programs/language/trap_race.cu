// Section: CUDA C++ Programming Guide: Trap Function
// Shows: a trap ends the launch for what is out of range
#include <cuda_runtime.h>

// race: write put, write put; global; grid
__global__ void k(const int *in, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= 1001) __trap();
  out[i % 1000] = in[i];  // put
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 4096 * sizeof(int));
  cudaMalloc(&out, 4096 * sizeof(int));
  k<<<8, 128>>>(in, out);
  cudaDeviceSynchronize();
}
