// Section: CUDA C++ Programming Guide: Warp Vote Functions
// Shows: a ballot is not a memory barrier
#include <cuda_runtime.h>

// race: read before, write after; shared; warp
__global__ void votes(int *out) {
  __shared__ int slot[32];
  int lane = threadIdx.x;
  slot[lane] = out[lane];  // after
  unsigned set = __ballot_sync(0xffffffffu, lane & 1);
  out[lane] = slot[31 - lane] + __popc(set);  // before
}

int main() {
  int *out;
  cudaMalloc(&out, 32 * sizeof(int));
  votes<<<1, 32>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
  return 0;
}
