// Section: CUDA Math API: Bfloat162 Arithmetic Functions
// Shows: blocks store their pairs of bfloat16 to the same places
#include <cuda_bf16.h>

// race: write pair, write pair; global; grid
__global__ void scale(__nv_bfloat162 *out) {
  __nv_bfloat162 own = __floats2bfloat162_rn(threadIdx.x, 1.0f);
  out[(blockIdx.x / 2) * blockDim.x + threadIdx.x] = __hmul2(own, own);  // pair
}

int main() {
  __nv_bfloat162 *out;
  cudaMalloc(&out, 4 * 128 * sizeof(__nv_bfloat162));
  scale<<<4, 128>>>(out);
  cudaDeviceSynchronize();
}
