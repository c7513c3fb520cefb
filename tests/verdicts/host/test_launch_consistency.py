"""The extents of a witness are those of a launch that the host makes."""

from pathlib import Path

from tests.checking import check, verdicts

SOURCE = """
#include <cassert>
// race: write cell, write cell; shared; warp
__global__ void a_grid_that_the_accesses_ignore(int *a) {
  __shared__ int s[64];
  s[threadIdx.x / 2] = threadIdx.x;  // cell
}

// safe: 1 of 1 pairs
__global__ void never_launched(int *a) {
  __shared__ int s[64];
  s[threadIdx.x / 2] = threadIdx.x;  // cell
}

void run(int *a, int e) {
  assert(4 <= e && e <= 6);
  a_grid_that_the_accesses_ignore<<<e / 4, 32>>>(a);
}

void run_for_few(int *a, int few) {
  assert(0 <= few && few < 4);
  never_launched<<<few / 4, 32>>>(a);
}
"""

test_kernel = verdicts(SOURCE)


def test_the_witness_is_a_launch(tmp_path: Path):
    kernel = next(k for k in check(tmp_path, SOURCE).kernels if k.findings)
    assert kernel.findings[0].witness.grid_dim == (1, 1, 1)
    assert 4 <= dict(kernel.findings[0].witness.inputs)["e"] <= 6
