// Section: PTX ISA: Parallel Synchronization Instructions: bar, barrier as producers and consumers use them
// Shows: a consumer that arrives before it reads says too early that the place is free
#include <cuda_runtime.h>

// safe: 6 of 6 pairs
__global__ void k(const int *in, int *out) {
  __shared__ int s[32];
  int lane = threadIdx.x % 32, *to = out + blockIdx.x * 32;
  if (threadIdx.x < 32) {
    s[lane] = in[lane];  // put
    asm volatile("bar.arrive 0, 64;" ::: "memory");
    int next = in[32 + lane];
    asm volatile("bar.sync 1, 64;" ::: "memory");
    s[lane] = next;  // next
  } else {
    asm volatile("bar.sync 0, 64;" ::: "memory");
    to[lane] = s[31 - lane];  // got
    asm volatile("bar.arrive 1, 64;" ::: "memory");
  }
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 65536);
  cudaMalloc(&out, 65536);
  k<<<4, 64>>>(in, out);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
  return 0;
}
