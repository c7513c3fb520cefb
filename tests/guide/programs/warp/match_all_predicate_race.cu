// Section: CUDA C++ Programming Guide: Warp Match Functions
// Shows: the predicate of __match_all_sync
#include <cuda_runtime.h>

// race: write put, write put; global; block grid (data-dependent)
__global__ void k(const int *in, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, same = 0;
  __match_all_sync(0xffffffff, in[i], &same);
  if (same && threadIdx.x % 32 == 0) out[0] = i;  // put
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 4096 * sizeof(int));
  cudaMalloc(&out, 4096 * sizeof(int));
  k<<<8, 128>>>(in, out);
  cudaDeviceSynchronize();
}
