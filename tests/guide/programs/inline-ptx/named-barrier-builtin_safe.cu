// Section: PTX ISA: Parallel Synchronization Instructions: __barrier_sync_count
// Shows: a barrier on each side of the exchange
#include <cuda_runtime.h>

// safe: 3 of 3 pairs
__global__ void k(const int *in, int *out) {
  __shared__ int s[128];
  int t = threadIdx.x;
  for (int round = 0; round < 4; ++round) {
    s[t] = in[t + round];  // put
    __barrier_sync_count(1 + t / 64, 64);
    out[blockIdx.x * 128 + t] = s[t ^ 32];  // got
    __barrier_sync_count(1 + t / 64, 64);
  }
}


int main() {
  int *in, *out;
  cudaMalloc(&in, 65536);
  cudaMalloc(&out, 65536);
  k<<<4, 128>>>(in, out);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
  return 0;
}
