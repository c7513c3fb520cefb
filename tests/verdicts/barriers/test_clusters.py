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

// safe: 3 of 3 pairs
__cluster_dims__(2, 1, 1) __global__ void memory_of_the_neighbour(int *out) {
  __shared__ int s[128];
  auto cluster = cg::this_cluster();
  s[threadIdx.x] = threadIdx.x;
  cluster.sync();
  out[blockIdx.x * 128 + threadIdx.x] = cluster.map_shared_rank(s, cluster.block_rank() ^ 1)[threadIdx.x];
  cluster.sync();
}

// race: read others, write own; cluster; grid
__cluster_dims__(2, 1, 1) __global__ void memory_that_only_the_own_block_waits_for(int *out) {
  __shared__ int s[128];
  auto cluster = cg::this_cluster();
  s[threadIdx.x] = threadIdx.x;  // own
  __syncthreads();
  out[blockIdx.x * 128 + threadIdx.x] = cluster.map_shared_rank(s, cluster.block_rank() ^ 1)[threadIdx.x];  // others
  cluster.sync();
}

// safe: 3 of 3 pairs
__cluster_dims__(2, 1, 1) __global__ void filled_again_behind_a_barrier(int *out, int n) {
  __shared__ int s[128];
  auto cluster = cg::this_cluster();
  for (int i = 0; i < n; ++i) {
    s[threadIdx.x] = i;
    cluster.sync();
    out[blockIdx.x * 128 + threadIdx.x] = cluster.map_shared_rank(s, cluster.block_rank() ^ 1)[threadIdx.x];
    cluster.sync();
  }
}

// race: read others, write own; cluster; grid
__cluster_dims__(2, 1, 1) __global__ void filled_again_too_early(int *out, int n) {
  __shared__ int s[128];
  auto cluster = cg::this_cluster();
  for (int i = 0; i < n; ++i) {
    s[threadIdx.x] = i;  // own
    cluster.sync();
    out[blockIdx.x * 128 + threadIdx.x] = cluster.map_shared_rank(s, cluster.block_rank() ^ 1)[threadIdx.x];  // others
    __syncthreads();
  }
}

// safe: 3 of 3 pairs
__cluster_dims__(4, 1, 1) __global__ void gathered_by_the_first(int *out) {
  __shared__ int sums[4];
  auto cluster = cg::this_cluster();
  unsigned rank = cluster.block_rank();
  if (threadIdx.x == 0) cluster.map_shared_rank(sums, 0)[rank] = rank;
  cluster.sync();
  if (rank == 0 && threadIdx.x < 4) out[blockIdx.x + threadIdx.x] = sums[threadIdx.x];
}

// race: write put, write put; cluster; grid
__cluster_dims__(4, 1, 1) __global__ void gathered_at_one_place(int *out) {
  __shared__ int sums[4];
  auto cluster = cg::this_cluster();
  unsigned rank = cluster.block_rank();
  if (threadIdx.x == 0) cluster.map_shared_rank(sums, 0)[rank / 2] = rank;  // put
  cluster.sync();
  if (rank == 0 && threadIdx.x < 2) out[blockIdx.x + threadIdx.x] = sums[threadIdx.x];
}

// safe: 5 of 5 pairs
__cluster_dims__(2, 1, 1) __global__ void counted_in_all_blocks(const int *in, int *out) {
  extern __shared__ int counts[];
  auto cluster = cg::this_cluster();
  counts[threadIdx.x] = 0;
  cluster.sync();
  int v = in[blockIdx.x * 128 + threadIdx.x] & 255;
  atomicAdd(&cluster.map_shared_rank(counts, v / 128)[v % 128], 1);
  cluster.sync();
  out[blockIdx.x * 128 + threadIdx.x] = counts[threadIdx.x];
}

// open: shared memory of another block, by a rank that is not known there
__cluster_dims__(4, 1, 1) __global__ void of_the_last_rank(int *out, int n) {
  __shared__ int s[128];
  auto cluster = cg::this_cluster();
  s[threadIdx.x] = threadIdx.x;
  int *other = s;
  for (int i = 0; i < n; ++i) other = cluster.map_shared_rank(s, i);
  cluster.sync();
  out[blockIdx.x * 128 + threadIdx.x] = other[threadIdx.x];
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
  memory_that_only_the_own_block_waits_for<<<16, 128>>>(a);
  filled_again_behind_a_barrier<<<16, 128>>>(a, argc);
  filled_again_too_early<<<16, 128>>>(a, argc);
  gathered_by_the_first<<<16, 128>>>(a);
  gathered_at_one_place<<<16, 128>>>(a);
  counted_in_all_blocks<<<16, 128, 512>>>(a, b);
  of_the_last_rank<<<16, 128>>>(a, argc);
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
