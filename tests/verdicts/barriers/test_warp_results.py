"""Results that functions of a warp store where an argument points to."""

from tests.checking import verdicts

SOURCE = """
// race: write out, write out; global; warp block grid (data-dependent)
__global__ void predicate_of_a_match(int *out) {
  int alike = 1;
  __match_all_sync(0xffffffff, threadIdx.x, &alike);
  if (alike == 0) *out = threadIdx.x + blockIdx.x;  // out
}
"""

test_kernel = verdicts(SOURCE)
