// Section: CUDA C++ Programming Guide: Cooperative Groups: Cluster Group
// Shows: the rank of a block in its cluster is not its rank in the grid
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// race: write put, write put; global; grid
__cluster_dims__(4, 1, 1) __global__ void fill(int *out) {
  cg::cluster_group cluster = cg::this_cluster();
  unsigned block = cluster.block_rank();
  out[block * 64 + threadIdx.x] = blockIdx.x;  // put
}

int main() {
  int *out;
  cudaMalloc(&out, 16 * 64 * sizeof(int));
  fill<<<16, 64>>>(out);
  cudaDeviceSynchronize();
}
