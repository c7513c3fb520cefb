// Section: ISO C++: Namespaces
// Shows: a namespace of the program with the name of a library's
#include <cuda_runtime.h>

namespace cub {
__device__ void store(int *out, int place, int value) { out[place] = value; }  // store
}  // namespace cub

// safe: 1 of 1 pairs
__global__ void k(const int *in, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  cub::store(out, i, in[i]);
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 4096 * sizeof(int));
  cudaMalloc(&out, 4096 * sizeof(int));
  k<<<8, 128>>>(in, out);
  cudaDeviceSynchronize();
}
