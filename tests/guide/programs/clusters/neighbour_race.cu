// Section: CUDA C++ Programming Guide: Thread Block Clusters
// Shows: the barrier of a cluster does not order blocks of two clusters
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// race: read take, write put; global; grid
__cluster_dims__(2, 1, 1) __global__ void exchange(int *buffer, int *out) {
  cg::cluster_group cluster = cg::this_cluster();
  unsigned i = blockIdx.x * 128 + threadIdx.x;
  buffer[i] = out[i];  // put
  cluster.sync();
  out[i] = buffer[(blockIdx.x ^ 2) * 128 + threadIdx.x];  // take
}

int main() {
  int *buffer, *out;
  cudaMalloc(&buffer, 16 * 128 * sizeof(int));
  cudaMalloc(&out, 16 * 128 * sizeof(int));
  exchange<<<16, 128>>>(buffer, out);
  cudaDeviceSynchronize();
}
