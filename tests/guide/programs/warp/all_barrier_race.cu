// Section: CUDA C++ Programming Guide: Warp Vote Functions
// Shows: a warp that votes otherwise than another one misses the barrier between them
#include <cuda_runtime.h>

// race: read other, write mine; shared; block (data-dependent)
// barrier: HGRD002 together
__global__ void all(int *out, const int *in) {
  __shared__ int tile[256];
  int t = threadIdx.x;
  int agreed = __all_sync(0xffffffffu, in[t] > 0);
  tile[t] = in[t] + agreed;  // mine
  if (agreed) __syncthreads();  // together
  out[blockIdx.x * 256 + t] = tile[255 - t];  // other
}

int main() {
  int *out, *in;
  cudaMalloc(&out, 1 << 16);
  cudaMalloc(&in, 1 << 16);
  cudaMemset(out, 0, 1 << 16);
  all<<<4, 256>>>(out, in);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
  return 0;
}
