// Section: CUDA C++ Programming Guide: Warp Matrix Functions
// Shows: matrices in shared memory are loaded without a barrier
#include <mma.h>

// race: read first, write left; shared; warp block
// race: read second, write right; shared; warp block
__global__ void product(float *out) {
  using namespace nvcuda;
  __shared__ __half a[256], b[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) {
    a[i] = __float2half(i);  // left
    b[i] = __float2half(1.0f);  // right
  }
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  wmma::load_matrix_sync(left, a, 16);  // first
  wmma::load_matrix_sync(right, b, 16);  // second
  wmma::mma_sync(sum, left, right, sum);
  wmma::store_matrix_sync(out + 256 * (4 * blockIdx.x + threadIdx.x / 32), sum, 16, wmma::mem_row_major);
}

int main() {
  float *out;
  cudaMalloc(&out, 16 * 256 * sizeof(float));
  product<<<4, 128>>>(out);
  cudaDeviceSynchronize();
}
