// Section: CUDA C++ Programming Guide: Cooperative Groups: Cluster Group
// Shows: behind both halves they have
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// safe: 4 of 4 pairs
__cluster_dims__(2, 1, 1) __global__ void exchange(int *buffer, int *out) {
  unsigned i = blockIdx.x * 128 + threadIdx.x;
  buffer[i] = out[i];  // put
  __cluster_barrier_arrive();
  __cluster_barrier_wait();
  out[i] = buffer[(blockIdx.x ^ 1) * 128 + threadIdx.x];  // take
}

int main() {
  int *buffer, *out;
  cudaMalloc(&buffer, 16 * 128 * sizeof(int));
  cudaMalloc(&out, 16 * 128 * sizeof(int));
  exchange<<<16, 128>>>(buffer, out);
  cudaDeviceSynchronize();
}
