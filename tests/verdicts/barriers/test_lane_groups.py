"""Coalesced groups and partitions by labels: groups of some lanes of a warp, which their masks tell."""

from tests.checking import verdicts

SOURCE = """
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
__device__ int count;

__device__ int reserve(int *counter) {
  auto group = cg::coalesced_threads();
  int first = 0;
  if (group.thread_rank() == 0) first = atomicAdd(counter, group.size());
  return group.shfl(first, 0) + group.thread_rank();
}

__device__ int reserve_for_the_first(int *counter) {
  auto group = cg::coalesced_threads();
  int first = 0;
  if (group.thread_rank() == 0) first = atomicAdd(counter, group.size());
  return first + group.thread_rank();
}

// safe: 1 of 1 pairs
__global__ void compaction(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] > 0) out[reserve(&count)] = i;  // place
}

// race: write one, write one; global; warp block grid (data-dependent)
__global__ void of_its_own_warp_only(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] > 0) out[reserve_for_the_first(&count)] = i;  // one
}

// safe: 1 of 1 pairs
__global__ void in_every_iteration(int *out, const int *in, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += 2048)
    if (in[i] > 0) out[reserve(&count)] = i;  // place
}

// safe: 1 of 1 pairs
__global__ void reservation_by_key(int *out, const int *in) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  auto group = cg::labeled_partition(warp, in[i] & 7);
  int first = 0;
  if (group.thread_rank() == 0) first = atomicAdd(&count, group.num_threads());
  out[group.shfl(first, 0) + group.thread_rank()] = i;  // place
}

// race: read sum, write sum; global; warp block grid (data-dependent)
// race: write sum, write sum; global; warp block grid (data-dependent)
__global__ void plain_sums_by_key(int *sums, const int *in) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  auto group = cg::labeled_partition(cg::coalesced_threads(), in[i] & 7);
  int all = cg::reduce(group, in[i], cg::plus<int>());
  if (group.thread_rank() == 0) sums[in[i] & 7] += all;  // sum
}

// safe: 2 of 2 pairs
__global__ void sums_by_key_of_one_warp(int *sums, const int *in) {
  int key = in[threadIdx.x] & 7;
  auto group = cg::labeled_partition(cg::tiled_partition<32>(cg::this_thread_block()), key);
  int all = cg::reduce(group, in[threadIdx.x], cg::plus<int>());
  if (group.thread_rank() == 0) sums[key] += all;
}

// safe: 1 of 1 pairs
__global__ void two_parts(int *out, const int *in) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  bool high = in[i] > 100;
  auto part = cg::binary_partition(warp, high);
  int first = 0;
  if (part.thread_rank() == 0) first = atomicAdd(&count, part.size());
  out[part.shfl(first, 0) + part.thread_rank()] = high;  // place
}

// race: write rank, write rank; global; warp (data-dependent)
__global__ void ranks_of_two_parts(int *out, const int *in) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  auto part = cg::binary_partition(warp, in[threadIdx.x] > 100);
  out[part.thread_rank()] = threadIdx.x;  // rank
}

int main() {
  int *out, *in;
  cudaMalloc(&out, 1 << 20);
  cudaMalloc(&in, 1 << 20);
  compaction<<<8, 256>>>(out, in, 2000);
  of_its_own_warp_only<<<8, 256>>>(out, in, 2000);
  in_every_iteration<<<8, 256>>>(out, in, 4000);
  reservation_by_key<<<8, 256>>>(out, in);
  plain_sums_by_key<<<8, 256>>>(out, in);
  sums_by_key_of_one_warp<<<1, 32>>>(out, in);
  two_parts<<<8, 256>>>(out, in);
  ranks_of_two_parts<<<1, 32>>>(out, in);
}
"""

test_lane_groups = verdicts(SOURCE)
