"""Results of functions of a warp: what they give, and what they store where an argument points to."""

from tests.checking import verdicts

SOURCE = """
// race: write out, write out; global; warp block grid (data-dependent)
__global__ void predicate_of_a_match(int *out) {
  int alike = 1;
  __match_all_sync(0xffffffff, threadIdx.x, &alike);
  if (alike == 0) *out = threadIdx.x + blockIdx.x;  // out
}

// safe: 1 of 1 pairs
__global__ void bit_by_alike_arguments(int *out, unsigned bits, int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (__fns(bits, 0, n) == i) *out = i;
}

// race: write out, write out; global; warp block grid (data-dependent)
__global__ void bit_by_arguments_of_each(int *out, unsigned bits, int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (__fns(bits, 0, i) == n) *out = i;  // out
}

// race: write out, write out; global; block
__global__ void by_lane(int *out) {
  if (blockIdx.x == 0) out[__lane_id()] = threadIdx.x;  // out
}

// race: write out, write out; global; warp block
__global__ void by_half_of_a_lane(int *out) {
  if (blockIdx.x == 0) out[__lane_id() / 2] = threadIdx.x;  // out
}
"""

test_kernel = verdicts(SOURCE)
