// Section: CUDA C++ Core Libraries: cuda::std::mdspan
// Shows: a stencil on a matrix needs a second one
#include <cuda/std/mdspan>

using Matrix = cuda::std::mdspan<float, cuda::std::dextents<int, 2>>;

// safe: 1 of 1 pairs
__global__ void k(Matrix u, Matrix v) {
  int i = blockIdx.x, j = threadIdx.x + 1;
  if (i < u.extent(0) && j < u.extent(1)) {
    float left = u(i, j - 1);  // left
    v(i, j) = 2 * left;  // here
  }
}

int main() {
  float *a, *b;
  cudaMalloc(&a, 64 * 256 * sizeof(float));
  cudaMalloc(&b, 64 * 256 * sizeof(float));
  Matrix u(a, 64, 256), v(b, 64, 256);
  k<<<64, 256>>>(u, v);
  cudaDeviceSynchronize();
}
