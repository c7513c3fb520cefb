// Section: CUDA Math API: Bfloat162 Arithmetic Functions
// Shows: each thread stores a pair of bfloat16 of its own
#include <cuda_bf16.h>

// safe: 1 of 1 pairs
__global__ void scale(__nv_bfloat162 *out) {
  __nv_bfloat162 own = __floats2bfloat162_rn(threadIdx.x, 1.0f);
  out[blockIdx.x * blockDim.x + threadIdx.x] = __hmul2(own, own);  // pair
}

int main() {
  __nv_bfloat162 *out;
  cudaMalloc(&out, 4 * 128 * sizeof(__nv_bfloat162));
  scale<<<4, 128>>>(out);
  cudaDeviceSynchronize();
}
