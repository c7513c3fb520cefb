// Section: CUDA C++ Programming Guide: Distributed Shared Memory
// Shows: the cluster waits before, and before any block ends
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// safe: 3 of 3 pairs
__cluster_dims__(2, 1, 1) __global__ void exchange(const int *in, int *out) {
  __shared__ int s[128];
  cg::cluster_group cluster = cg::this_cluster();
  s[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
  cluster.sync();
  int *other = cluster.map_shared_rank(s, cluster.block_rank() ^ 1);
  out[blockIdx.x * 128 + threadIdx.x] = other[threadIdx.x];
  cluster.sync();
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 16 * 128 * sizeof(int));
  cudaMalloc(&out, 16 * 128 * sizeof(int));
  exchange<<<16, 128>>>(in, out);
  cudaDeviceSynchronize();
}
