// Section: CUDA C++ Programming Guide: Cooperative Groups: Cluster Group
// Shows: between the two halves of the cluster's barrier, other blocks may not have stored yet
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// race: read take, write put; global; grid
__cluster_dims__(2, 1, 1) __global__ void exchange(int *buffer, int *out) {
  unsigned i = blockIdx.x * 128 + threadIdx.x;
  buffer[i] = out[i];  // put
  __cluster_barrier_arrive();
  out[i] = buffer[(blockIdx.x ^ 1) * 128 + threadIdx.x];  // take
  __cluster_barrier_wait();
}

int main() {
  int *buffer, *out;
  cudaMalloc(&buffer, 16 * 128 * sizeof(int));
  cudaMalloc(&out, 16 * 128 * sizeof(int));
  exchange<<<16, 128>>>(buffer, out);
  cudaDeviceSynchronize();
}
