// Section: CUDA Math API: Integer Mathematical Functions
// Shows: an overload of min that stores
#include <cuda_runtime.h>

__device__ int min(int *least, int value, int place) {
  least[place] = value;  // least
  return value;
}

// safe: 1 of 1 pairs
__global__ void k(const int *in, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  min(out, in[i], i);
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 4096 * sizeof(int));
  cudaMalloc(&out, 4096 * sizeof(int));
  k<<<8, 128>>>(in, out);
  cudaDeviceSynchronize();
}
