"""Integers made of floating-point numbers that have been compared with integers."""

from tests.checking import verdicts

KERNELS = {
    "floor": ("floorf(x)", "x >= 0 && x < g", "// safe: 2 of 2 pairs"),
    "cut": ("(int)x", "x >= 0 && x < g", "// safe: 2 of 2 pairs"),
    "turned": ("floorf(x)", "0 <= x && g > x", "// safe: 2 of 2 pairs"),
    "at_most": ("floorf(x)", "x >= 0 && x <= g - 1", "// safe: 2 of 2 pairs"),
    "above": ("floorf(x)", "x > -1 && x < g - 1", "// safe: 2 of 2 pairs"),
    "far_above": ("floorf(x)", "x > -1 && x < g", ""),
    "cut_above": ("(int)x", "x > -2 && x < g", ""),
    "no_least": ("floorf(x)", "x < g", ""),
    "no_most": ("floorf(x)", "x >= 0", ""),
    "one_too_many": ("floorf(x)", "x >= 0 && x <= g", ""),
    "up": ("ceilf(x)", "x >= 0 && x < g", ""),
    "another": ("floorf(x)", "y >= 0 && y < g", ""),
    "shorter": ("floorf(x)", "x >= 0 && x < (float)(g * 0.5)", ""),
    "either": ("floorf(x)", "x >= 0 || x < g", ""),
}
KERNEL = """
EXPECTED
__global__ void NAME(int *count, const float *in, int n, int g) {
  int t = blockIdx.x * 256 + threadIdx.x;
  if (t >= n) return;
  float x = in[t] * 2, y = in[t + n];
  int i = INDEX;
  if (TEST) count[t * g + i] += (int)y;  // cell
}
"""
RACES = """// race: read cell, write cell; global; warp block grid (data-dependent)
// race: write cell, write cell; global; warp block grid (data-dependent)"""
SOURCE = "".join(
    KERNEL.replace("EXPECTED", expected or RACES).replace("NAME", name).replace("INDEX", index).replace("TEST", test)
    for name, (index, test, expected) in KERNELS.items()
)

test_kernel = verdicts(SOURCE, block_dim=(256, 1, 1))
