// Section: CUDA C++ Programming Guide: Warp Vote Functions
// Shows: a ballot is not a memory barrier
#include <cuda_runtime.h>

// safe: 4 of 4 pairs
__global__ void votes(int *out) {
  __shared__ int slot[32];
  int lane = threadIdx.x;
  slot[lane] = out[lane];
  unsigned set = __ballot_sync(0xffffffffu, lane & 1);
  __syncwarp();
  out[lane] = slot[31 - lane] + __popc(set);
}

int main() {
  int *out;
  cudaMalloc(&out, 32 * sizeof(int));
  votes<<<1, 32>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
  return 0;
}
