"""Clusters: their barriers order their blocks, and no others; ranks within one are not ranks in the grid."""

from tests.checking import verdicts

SOURCE = """
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// safe: 3 of 3 pairs
__cluster_dims__(2, 1, 1) __global__ void with_the_neighbour(int *buffer, int *out) {
  int i = blockIdx.x * 128 + threadIdx.x;
  buffer[i] = i;
  cg::this_cluster().sync();
  out[i] = buffer[(blockIdx.x ^ 1) * 128 + threadIdx.x];
}

// race: read there, write here; global; grid
__cluster_dims__(2, 1, 1) __global__ void with_another_cluster(int *buffer, int *out) {
  int i = blockIdx.x * 128 + threadIdx.x;
  buffer[i] = i;  // here
  cg::this_cluster().sync();
  out[i] = buffer[(blockIdx.x ^ 2) * 128 + threadIdx.x];  // there
}

// race: read there, write here; global; grid
__global__ void without_clusters(int *buffer, int *out) {
  int i = blockIdx.x * 128 + threadIdx.x;
  buffer[i] = i;  // here
  cg::this_cluster().sync();
  out[i] = buffer[(blockIdx.x ^ 1) * 128 + threadIdx.x];  // there
}

// safe: 3 of 3 pairs
__cluster_dims__(2, 1, 1) __global__ void in_two_halves(int *buffer, int *out) {
  int i = blockIdx.x * 128 + threadIdx.x;
  buffer[i] = i;
  auto cluster = cg::this_cluster();
  auto token = cluster.barrier_arrive();
  cluster.barrier_wait(static_cast<decltype(token) &&>(token));
  out[i] = buffer[(blockIdx.x ^ 1) * 128 + threadIdx.x];
}

// race: read there, write here; global; grid
__cluster_dims__(2, 1, 1) __global__ void arrived_only(int *buffer, int *out) {
  int i = blockIdx.x * 128 + threadIdx.x;
  buffer[i] = i;  // here
  __cluster_barrier_arrive();
  out[i] = buffer[(blockIdx.x ^ 1) * 128 + threadIdx.x];  // there
  __cluster_barrier_wait();
}

// safe: 1 of 1 pairs
__cluster_dims__(2, 2, 1) __global__ void rank_in_the_grid(int *out) {
  auto cluster = cg::this_cluster();
  unsigned of_grid = cg::this_grid().cluster_rank() * cluster.num_threads() + cluster.thread_rank();
  out[of_grid] = threadIdx.x;
}

// race: write here, write here; global; grid
__cluster_dims__(2, 1, 1) __global__ void rank_in_the_cluster(int *out) {
  auto cluster = cg::this_cluster();
  out[cluster.block_index().x * 128 + threadIdx.x] = blockIdx.x;  // here
}

// safe: 1 of 1 pairs
__cluster_dims__(4, 1, 1) __global__ void first_block_of_each(int *out) {
  auto cluster = cg::this_cluster();
  if (cluster.block_rank() == 0) out[blockIdx.x / 4 * 128 + threadIdx.x] = blockIdx.x;
}

// open: a read through a pointer of unknown target
// open: map_shared_rank of a cluster_group
__cluster_dims__(2, 1, 1) __global__ void memory_of_the_neighbour(int *out) {
  __shared__ int s[128];
  auto cluster = cg::this_cluster();
  s[threadIdx.x] = threadIdx.x;
  cluster.sync();
  out[blockIdx.x * 128 + threadIdx.x] = cluster.map_shared_rank(s, cluster.block_rank() ^ 1)[threadIdx.x];
  cluster.sync();
}

// safe: 3 of 3 pairs
__global__ void asked_for_at_the_launch(int *buffer, int *out) {
  int i = blockIdx.x * 128 + threadIdx.x;
  buffer[i] = i;
  cg::this_cluster().sync();
  out[i] = buffer[(blockIdx.x ^ 1) * 128 + threadIdx.x];
}

int main(int argc, char **argv) {
  int *a, *b;
  cudaMalloc(&a, 1 << 22);
  cudaMalloc(&b, 1 << 22);
  with_the_neighbour<<<16, 128>>>(a, b);
  with_another_cluster<<<16, 128>>>(a, b);
  without_clusters<<<16, 128>>>(a, b);
  in_two_halves<<<16, 128>>>(a, b);
  arrived_only<<<16, 128>>>(a, b);
  rank_in_the_grid<<<dim3(16, 4), 128>>>(a);
  rank_in_the_cluster<<<16, 128>>>(a);
  first_block_of_each<<<16, 128>>>(a);
  memory_of_the_neighbour<<<16, 128>>>(a);
  cudaLaunchConfig_t config = {0};
  config.gridDim = 16;
  config.blockDim = 128;
  cudaLaunchAttribute attributes[1];
  attributes[0].id = cudaLaunchAttributeClusterDimension;
  attributes[0].val.clusterDim.x = 2;
  attributes[0].val.clusterDim.y = 1;
  attributes[0].val.clusterDim.z = 1;
  config.attrs = attributes;
  config.numAttrs = 1;
  cudaLaunchKernelEx(&config, asked_for_at_the_launch, a, b);
}
"""

UNKNOWN = """
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// open: read there, write here; global; grid: a barrier under a condition may order the two accesses
__global__ void size_not_known(int *buffer, int *out) {
  int i = blockIdx.x * 128 + threadIdx.x;
  buffer[i] = i;  // here
  cg::this_cluster().sync();
  out[i] = buffer[(blockIdx.x ^ 1) * 128 + threadIdx.x];  // there
}

int main(int argc, char **argv) {
  int *a, *b;
  cudaMalloc(&a, 1 << 22);
  cudaMalloc(&b, 1 << 22);
  cudaLaunchConfig_t config = {0};
  config.gridDim = 16;
  config.blockDim = 128;
  cudaLaunchAttribute attributes[1];
  attributes[0].id = cudaLaunchAttributeClusterDimension;
  attributes[0].val.clusterDim.x = argc;
  attributes[0].val.clusterDim.y = 1;
  attributes[0].val.clusterDim.z = 1;
  config.attrs = attributes;
  config.numAttrs = 1;
  cudaLaunchKernelEx(&config, size_not_known, a, b);
}
"""

test_kernel = verdicts(SOURCE)
test_unknown = verdicts(UNKNOWN)
