"""Integers made of floating-point numbers that have been compared with integers."""

from tests.checking import verdicts

NEEDS = """// race: read cell, write cell; global; warp block (unless {0})
// race: write cell, write cell; global; warp block (unless {0})"""
KERNELS = {
    "floor": ("floorf(x)", "x >= 0 && x < g", "// safe: 2 of 2 pairs"),
    "cut": ("(int)x", "x >= 0 && x < g", "// safe: 2 of 2 pairs"),
    "turned": ("floorf(x)", "0 <= x && g > x", "// safe: 2 of 2 pairs"),
    "at_most": ("floorf(x)", "g < 4096 && x >= 0 && x <= g - 1", "// safe: 2 of 2 pairs"),
    "at_most_what_is_rounded": ("floorf(x)", "x >= 0 && x <= g - 1", NEEDS.format("g == 256")),
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

ROUNDED = """
// race: write five, write five; global; warp block grid (data-dependent)
__global__ void array_that_is_called_float32(int *a, const float *in, const float *float32) {
  float x = in[threadIdx.x];
  int i = (int)x;
  if (x >= 0 && x < float32[1] && i == 5) a[0] = threadIdx.x;  // five
}

// (float)n may be n - 1, which x is
// race: write below, write least; global; warp (data-dependent)
__global__ void at_least(int *a, const float *in, int n) {
  float x = in[0];
  int i = (int)x;
  if (blockIdx.x > 0 || n < 1 || !(x >= n)) return;
  if (threadIdx.x == 0) a[i] = 1;  // least
  if (threadIdx.x == 1) a[n - 1] = 2;  // below
}

// (float)n may be n + 1, and a double n
// race: write least, write n; global; warp (data-dependent)
__global__ void below_what_is_rounded_to_less_digits(int *a, const double *in, int n) {
  double x = in[0];
  int i = (int)x;
  if (blockIdx.x > 0 || n < 1 || !(x >= 0 && x < (float)n)) return;
  if (threadIdx.x == 0) a[i] = 1;  // least
  if (threadIdx.x == 1) a[n] = 2;  // n
}

// safe: 3 of 3 pairs
__global__ void below_what_is_rounded_alike(int *a, const float *in, int n) {
  float x = in[0];
  int i = (int)x;
  if (blockIdx.x > 0 || n < 1 || !(x >= 0 && x < n)) return;
  if (threadIdx.x == 0) a[i] = 1;
  if (threadIdx.x == 1) a[n] = 2;
}

// race: write zero, write zero; global; warp block grid (data-dependent)
__global__ void one_rounded_number_for_two(int *a, const float *in, int n, int m) {
  float x = in[0];
  int i = (int)x;
  if (x >= n && x <= m && n > m && i >= 0) a[0] = threadIdx.x;  // zero
}

// race: write zero, write zero; global; warp block grid (data-dependent)
__global__ void rounded_literal(int *a, const float *in) {
  float x = in[0];
  int i = (int)x;
  if (x >= 16777217 && i <= 16777216) a[0] = threadIdx.x;  // zero
}

// race: write zero, write zero; global; warp block grid (data-dependent)
__global__ void more_than_an_integer_can_be(int *a, const float *in) {
  float x = in[0];
  int i = (int)x;
  if (x >= 3e9f && i > 7) a[0] = threadIdx.x;  // zero
}
"""

test_kernel = verdicts(SOURCE, block_dim=(256, 1, 1))
test_rounded = verdicts(ROUNDED, block_dim=(256, 1, 1))
