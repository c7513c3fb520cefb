// Section: CUDA C++ Programming Guide: Cooperative Groups: Cluster Group
// Shows: the rank of the cluster and that of the block in it together are
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// safe: 1 of 1 pairs
__cluster_dims__(4, 1, 1) __global__ void fill(int *out) {
  cg::cluster_group cluster = cg::this_cluster();
  unsigned block = cg::this_grid().cluster_rank() * cluster.num_blocks() + cluster.block_rank();
  out[block * 64 + threadIdx.x] = blockIdx.x;  // put
}

int main() {
  int *out;
  cudaMalloc(&out, 16 * 64 * sizeof(int));
  fill<<<16, 64>>>(out);
  cudaDeviceSynchronize();
}
