// Section: CUDA C++ Programming Guide: alloca()
// Shows: memory on the stack is each thread's own
#include <cuda_runtime.h>

// safe: 1 of 1 pairs
__global__ void k(const int *in, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int *own = (int *)alloca(8 * sizeof(int));
  for (int j = 0; j < 8; j++) own[j] = in[i] + j;
  out[i] = own[i % 8];  // put
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 4096 * sizeof(int));
  cudaMalloc(&out, 4096 * sizeof(int));
  k<<<8, 128>>>(in, out);
  cudaDeviceSynchronize();
}
