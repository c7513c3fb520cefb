// Section: CUDA C++ Programming Guide: Local Memory
// Shows: an element of a local array, chosen at run time
#include <cuda_runtime.h>

// race: write put, write put; global; warp
__global__ void k(const int *in, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, own[4];
  for (int j = 0; j < 4; j++) own[j] = in[4 * (i % 512) + j];
  out[i / 2] = own[in[0] & 3];  // put
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 4096 * sizeof(int));
  cudaMalloc(&out, 4096 * sizeof(int));
  k<<<8, 128>>>(in, out);
  cudaDeviceSynchronize();
}
