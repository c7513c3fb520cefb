"""Compaction by warps: the threads of a warp reserve room for all of them by one addition, and share it by ranks.

    unsigned mask = __ballot_sync(~0u, keep);
    if (lane == 0) base = atomicAdd(&count, __popc(mask));
    base = __shfl_sync(~0u, base, 0);
    if (keep) out[base + __popc(mask & below)] = …;

The bits of a ballot are the predicates, so ranks below lanes that have voted are different, and reservations are
disjoint.
"""

from tests.checking import verdicts

SOURCE = """
#include <cuda_runtime.h>
#include <cstdlib>
__device__ int count, other;

// safe: 1 of 1 pairs
__global__ void given_by_lane_0(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  unsigned below = (1u << lane) - 1;
  bool keep = i < n && in[i] > 0;
  unsigned m = __ballot_sync(~0u, keep);
  int base = 0;
  if (lane == 0) base = atomicAdd(&count, __popc(m));
  base = __shfl_sync(~0u, base, 0);
  if (keep) out[base + __popc(m & below)] = i;  // place
}

// safe: 1 of 1 pairs
__global__ void given_by_the_first_active_lane(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  unsigned below = (1u << lane) - 1;
  if (i < n && in[i] > 0) {
    unsigned active = __activemask();
    int leader = __ffs(active) - 1, base;
    if (lane == leader) base = atomicAdd(&count, __popc(active));
    base = __shfl_sync(active, base, leader);
    out[base + __popc(active & below)] = i;  // place
  }
}

// safe: 1 of 1 pairs
__global__ void drawn_by_the_lane_of_rank_0(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  unsigned below = (1u << lane) - 1;
  if (i < n && in[i] > 0) {
    unsigned active = __activemask();
    int rank = __popc(active & below), base = 0;
    if (rank == 0) base = atomicAdd(&count, __popc(active));
    base = __shfl_sync(active, base, __ffs(active) - 1);
    out[base + rank] = i;  // place
  }
}

// safe: 1 of 1 pairs
__global__ void drawn_for_equal_keys(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  unsigned below = (1u << lane) - 1;
  int key = in[i];
  unsigned peers = __match_any_sync(~0u, key);
  int leader = __ffs(peers) - 1, base = 0;
  if (lane == leader) base = atomicAdd(&count, __popc(peers));
  base = __shfl_sync(peers, base, leader);
  out[base + __popc(peers & below)] = i;  // place
}

// safe: 1 of 1 pairs
__global__ void in_each_iteration(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  unsigned below = (1u << lane) - 1;
  for (int j = 0; j < 16; j++) {
    bool keep = in[i + 1024 * j] > 0;
    unsigned m = __ballot_sync(~0u, keep);
    int base = 0;
    if (lane == 31) base = atomicAdd(&count, __popc(m));
    base = __shfl_sync(~0u, base, 31);
    if (keep) out[base + __popc(m & below)] = j;  // place
  }
}

// safe: 7 of 7 pairs
__global__ void counted_in_shared_memory(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  unsigned below = (1u << lane) - 1;
  __shared__ int top;
  __shared__ int list[256];
  if (threadIdx.x == 0) top = 0;
  __syncthreads();
  bool keep = in[i] > 0;
  unsigned m = __ballot_sync(~0u, keep);
  int base = 0;
  if (lane == 0) base = atomicAdd(&top, __popc(m));
  base = __shfl_sync(~0u, base, 0);
  if (keep) list[base + __popc(m & below)] = i;
  __syncthreads();
  if (threadIdx.x < top) out[i] = list[threadIdx.x];  // place
}

// safe: 1 of 1 pairs
__global__ void ranks_from_above(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  bool keep = in[i] > 0;
  unsigned m = __ballot_sync(~0u, keep);
  int base = 0;
  if (lane == 0) base = atomicAdd(&count, __popc(m));
  base = __shfl_sync(~0u, base, 0);
  if (keep) out[base + __popc(m >> lane) - 1] = i;  // place
}

// safe: 3 of 3 pairs
__global__ void two_sides_of_one_reservation(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  unsigned below = (1u << lane) - 1;
  bool keep = in[i] > 0;
  unsigned m = __ballot_sync(~0u, keep);
  int base = 0;
  if (lane == 0) base = atomicAdd(&count, 32);
  base = __shfl_sync(~0u, base, 0);
  if (keep) out[base + __popc(m & below)] = i;  // place
  else out[base + __popc(m) + __popc(~m & below)] = i;  // place
}

// safe: 1 of 1 pairs
__global__ void after_early_returns(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  unsigned below = (1u << lane) - 1;
  if (i >= n) return;
  bool keep = in[i] > 0;
  unsigned m = __ballot_sync(~0u, keep);
  if (!keep) return;
  int leader = __ffs(m) - 1, base = 0;
  if (lane == leader) base = atomicAdd(&count, __popc(m));
  base = __shfl_sync(m, base, leader);
  out[base + __popc(m & below)] = i;  // place
}

// race: write place, write place; global; warp block grid (data-dependent)
__global__ void another_predicate_than_voted(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  unsigned below = (1u << lane) - 1;
  bool keep = i < n && in[i] > 0;
  unsigned m = __ballot_sync(~0u, keep);
  int base = 0;
  if (lane == 0) base = atomicAdd(&count, __popc(m));
  base = __shfl_sync(~0u, base, 0);
  if (i < n && in[i] >= 0) out[base + __popc(m & below)] = i;  // place
}

// race: write place, write place; global; block grid (data-dependent)
__global__ void one_place_for_all_lanes(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  unsigned below = (1u << lane) - 1;
  bool keep = i < n && in[i] > 0;
  unsigned m = __ballot_sync(~0u, keep);
  int base = 0;
  if (lane == 0) base = atomicAdd(&count, 1);
  base = __shfl_sync(~0u, base, 0);
  if (keep) out[base + __popc(m & below)] = i;  // place
}

// race: write place, write place; global; warp block grid (data-dependent)
__global__ void not_handed_on(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  unsigned below = (1u << lane) - 1;
  bool keep = i < n && in[i] > 0;
  unsigned m = __ballot_sync(~0u, keep);
  int base = 0;
  if (lane == 0) base = atomicAdd(&count, __popc(m));
  if (keep) out[base + __popc(m & below)] = i;  // place
}

// race: write place, write place; global; block grid (data-dependent)
__global__ void given_by_a_lane_without_ticket(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  unsigned below = (1u << lane) - 1;
  bool keep = i < n && in[i] > 0;
  unsigned m = __ballot_sync(~0u, keep);
  int base = 0;
  if (lane == 0) base = atomicAdd(&count, __popc(m));
  base = __shfl_sync(~0u, base, 1);
  if (keep) out[base + __popc(m & below)] = i;  // place
}

// race: write place, write place; global; warp block grid (data-dependent)
__global__ void given_by_a_lane_that_may_be_absent(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  unsigned below = (1u << lane) - 1;
  if (i < n && in[i] > 0) {
    unsigned active = __activemask();
    int leader = __ffs(active) - 1, base = 0;
    if (lane == leader) base = atomicAdd(&count, __popc(active));
    base = __shfl_sync(active, base, 0);
    out[base + __popc(active & below)] = i;  // place
  }
}

// race: write place, write place; global; warp block grid (data-dependent)
__global__ void predicate_changed_after_the_vote(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  unsigned below = (1u << lane) - 1;
  bool keep = i < n && in[i] > 0;
  unsigned m = __ballot_sync(~0u, keep);
  keep = i < n;
  int base = 0;
  if (lane == 0) base = atomicAdd(&count, __popc(m));
  base = __shfl_sync(~0u, base, 0);
  if (keep) out[base + __popc(m & below)] = i;  // place
}

// race: write place, write place; global; warp block grid (data-dependent)
__global__ void half_of_the_lanes_vote(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  unsigned below = (1u << lane) - 1;
  bool keep = i < n && in[i] > 0;
  unsigned m = __ballot_sync(0xffffu, keep);
  int base = 0;
  if (lane == 0) base = atomicAdd(&count, __popc(m));
  base = __shfl_sync(~0u, base, 0);
  if (keep) out[base + __popc(m & below)] = i;  // place
}

// race: write place, write place; global; warp block grid (data-dependent)
__global__ void reservation_used_twice(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  unsigned below = (1u << lane) - 1;
  bool keep = i < n && in[i] > 0;
  unsigned m = __ballot_sync(~0u, keep);
  int base = 0;
  if (lane == 0) base = atomicAdd(&count, __popc(m));
  base = __shfl_sync(~0u, base, 0);
  for (int j = 0; j < 2; j++)
    if (keep) out[base + __popc(m & below) + j] = i + j;  // place
}

// race: write place, write place; global; warp block grid (data-dependent)
__global__ void rank_in_another_vote(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  unsigned below = (1u << lane) - 1;
  bool keep = i < n && in[i] > 0;
  unsigned m = __ballot_sync(~0u, keep);
  m = __ballot_sync(~0u, !keep);
  int base = 0;
  if (lane == 0) base = atomicAdd(&count, __popc(m));
  base = __shfl_sync(~0u, base, 0);
  if (keep) out[base + __popc(m & below)] = i;  // place
}

// race: write place, write place; global; warp (data-dependent)
__global__ void no_rank_among_equal_keys(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  int key = in[i];
  unsigned peers = __match_any_sync(~0u, key);
  int leader = __ffs(peers) - 1, base = 0;
  if (lane == leader) base = atomicAdd(&count, __popc(peers));
  base = __shfl_sync(peers, base, leader);
  out[base] = i;  // place
}

// race: write place, write place; global; warp block grid (data-dependent)
__global__ void one_place_for_equal_keys(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  unsigned below = (1u << lane) - 1;
  int key = in[i];
  unsigned peers = __match_any_sync(~0u, key);
  int leader = __ffs(peers) - 1, base = 0;
  if (lane == leader) base = atomicAdd(&count, 1);
  base = __shfl_sync(peers, base, leader);
  out[base + __popc(peers & below)] = i;  // place
}

// race: write place, write place; global; block grid (data-dependent)
__global__ void two_counters(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  unsigned below = (1u << lane) - 1;
  bool keep = i < n && in[i] > 0;
  unsigned m = __ballot_sync(~0u, keep);
  int base = 0;
  if (lane == 0) base = atomicAdd(lane + i < n / 2 ? &count : &other, __popc(m));
  base = __shfl_sync(~0u, base, 0);
  if (keep) out[base + __popc(m & below)] = i;  // place
}

// safe: 1 of 1 pairs
__global__ void given_by_the_first_lane_that_keeps(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  unsigned below = (1u << lane) - 1;
  bool keep = i < n && in[i] > 0;
  unsigned m = __ballot_sync(~0u, keep);
  int leader = __ffs(m) - 1, base = 0;
  if (lane == leader) base = atomicAdd(&count, __popc(m));
  base = __shfl_sync(~0u, base, leader);
  if (keep) out[base + __popc(m & below)] = i;  // place
}

// safe: 1 of 1 pairs
__global__ void nobody_keeps_or_the_first_gives(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  unsigned below = (1u << lane) - 1;
  bool keep = i < n && in[i] > 0;
  unsigned m = __ballot_sync(~0u, keep);
  int leader = __ffs(m) - 1, base = 0;
  if (m && lane == leader) base = atomicAdd(&count, __popc(m));
  base = __shfl_sync(~0u, base, leader < 0 ? 0 : leader);
  if (keep) out[base + __popc(m & below)] = i;  // place
}

// race: write place, write place; global; block grid (data-dependent)
__global__ void used_where_nobody_keeps(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  unsigned below = (1u << lane) - 1;
  bool keep = i < n && in[i] > 0;
  unsigned m = __ballot_sync(~0u, keep);
  int leader = __ffs(m) - 1, base = 0;
  if (lane == leader) base = atomicAdd(&count, __popc(m));
  base = __shfl_sync(~0u, base, leader);
  if (keep || m == 0 && lane == 0) out[base + __popc(m & below)] = i;  // place
}

int main(int argc, char **argv) {
  int *a, *b, n = atoi(argv[1]);
  cudaMalloc(&a, 1 << 20);
  cudaMalloc(&b, 1 << 20);
  given_by_lane_0<<<4, 256>>>(a, b, n);
  given_by_the_first_active_lane<<<4, 256>>>(a, b, n);
  drawn_by_the_lane_of_rank_0<<<4, 256>>>(a, b, n);
  drawn_for_equal_keys<<<4, 256>>>(a, b, n);
  in_each_iteration<<<4, 256>>>(a, b, n);
  counted_in_shared_memory<<<4, 256>>>(a, b, n);
  ranks_from_above<<<4, 256>>>(a, b, n);
  two_sides_of_one_reservation<<<4, 256>>>(a, b, n);
  after_early_returns<<<4, 256>>>(a, b, n);
  another_predicate_than_voted<<<4, 256>>>(a, b, n);
  one_place_for_all_lanes<<<4, 256>>>(a, b, n);
  not_handed_on<<<4, 256>>>(a, b, n);
  given_by_a_lane_without_ticket<<<4, 256>>>(a, b, n);
  given_by_a_lane_that_may_be_absent<<<4, 256>>>(a, b, n);
  predicate_changed_after_the_vote<<<4, 256>>>(a, b, n);
  half_of_the_lanes_vote<<<4, 256>>>(a, b, n);
  reservation_used_twice<<<4, 256>>>(a, b, n);
  rank_in_another_vote<<<4, 256>>>(a, b, n);
  no_rank_among_equal_keys<<<4, 256>>>(a, b, n);
  one_place_for_equal_keys<<<4, 256>>>(a, b, n);
  two_counters<<<4, 256>>>(a, b, n);
  given_by_the_first_lane_that_keeps<<<4, 256>>>(a, b, n);
  nobody_keeps_or_the_first_gives<<<4, 256>>>(a, b, n);
  used_where_nobody_keeps<<<4, 256>>>(a, b, n);
}
"""

test_kernel = verdicts(SOURCE)
