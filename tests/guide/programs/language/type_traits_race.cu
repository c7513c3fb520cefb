// Section: CUDA C++ Programming Guide: Standard Library
// Shows: if constexpr by a type trait
#include <cuda_runtime.h>
#include <type_traits>

template <class T> __device__ int place(int i) {
  if constexpr (std::is_same_v<T, int>) return i / 2;
  else return i;
}

// race: write put, write put; global; warp
__global__ void k(const int *in, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[place<int>(i)] = in[i];  // put
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 4096 * sizeof(int));
  cudaMalloc(&out, 4096 * sizeof(int));
  k<<<8, 128>>>(in, out);
  cudaDeviceSynchronize();
}
