// Section: CUDA Math API: Double Precision Mathematical Functions
// Shows: modf stores the whole part through a pointer
#include <cuda_runtime.h>

// race: write whole, write whole; global; block grid
__global__ void k(const double *in, double *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double whole;
  modf(in[i], &whole);
  out[i % 64] = whole;  // whole
}

int main() {
  double *in, *out;
  cudaMalloc(&in, 1024 * sizeof(double));
  cudaMalloc(&out, 1024 * sizeof(double));
  k<<<8, 128>>>(in, out);
  cudaDeviceSynchronize();
}
