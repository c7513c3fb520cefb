"""Variables of which only the first value in a loop is known: two threads that meet there race."""

from tests.checking import verdicts

SOURCE = """
#include <cassert>
// race: write here, write here; global; warp block grid
__global__ void from_one_place(int *a, int n) {
  int at = threadIdx.x & 15;
  for (int k = 0; k < n; k++) {
    a[at] = threadIdx.x;  // here
    at = (at * 5 + 1) & 255;
  }
}

// race: write here, write here; global; warp block grid (data-dependent)
__global__ void from_where_memory_says(int *a, const int *next, int n) {
  int at = next[blockIdx.x * 64 + threadIdx.x];
  for (int k = 0; k < n; k++) {
    a[at] = threadIdx.x;  // here
    at = (at * 5 + 1) & 255;
  }
}

// open: write here, write here; global; warp block grid: it depends on values that are not known: at
__global__ void from_a_place_of_ones_own(int *a, int n) {
  int at = blockIdx.x * 64 + threadIdx.x;
  for (int k = 0; k < n; k++) {
    a[at] = threadIdx.x;  // here
    at = (at * 5 + 1) & 255;
  }
}

// open: write here, write here; global; warp block grid: it depends on values that are not known: at
__global__ void not_in_the_first_iteration(int *a, int n) {
  int at = threadIdx.x & 15;
  for (int k = 0; k < n; k++) {
    if (k > 0) a[at] = threadIdx.x;  // here
    at = (at * 5 + 1) & 255;
  }
}

// open: write here, write here; global; warp block grid: it depends on values that are not known: at
__global__ void not_with_the_first_value(int *a, int n) {
  int at = threadIdx.x & 15;
  for (int k = 0; k < n; k++) {
    if (at > 63) a[at] = threadIdx.x;  // here
    at = (at * 5 + 1) & 255;
  }
}

// race: write here, write here; global; warp block grid
__global__ void of_two_loops(int *a, int n) {
  int from = threadIdx.x & 15;
  for (int k = 0; k < n; k++) {
    int at = from + 1;
    for (int j = 0; j < n; j++) {
      a[at] = threadIdx.x;  // here
      at = (at * 5 + 1) & 255;
    }
    from = (from * 3 + 1) & 255;
  }
}

// race: write here, write here; global; warp block grid (data-dependent)
__global__ void behind_a_loop(int *a, const int *next, int n) {
  int at = threadIdx.x & 15;
  while (next[at] != at) at = next[at];
  a[at] = threadIdx.x;  // here
}

// race: write here, write here; global; warp block grid
__global__ void behind_a_loop_that_some_skip(int *a) {
  int at = threadIdx.x & 15;
  for (int k = threadIdx.x; k < 4; k++) at = (at * 5 + 1) & 255;
  a[at] = threadIdx.x;  // here
}

// open: write here, write here; global; warp block grid: it depends on values that are not known: at
__global__ void behind_a_loop_that_none_skips(int *a) {
  int at = threadIdx.x & 15;
  for (int k = threadIdx.x; k < 64; k++) at = (at * 5 + 1) & 255;
  a[at] = threadIdx.x;  // here
}

// safe: 1 of 1 pairs
__global__ void only_with_a_later_value(int *a, const int *in, int n) {
  int given[4] = {0, 1, n, 3}, some = threadIdx.x;
  for (int k = threadIdx.x; k < 1; k += blockDim.x) {
    if (some) a[blockIdx.x & 1] = blockIdx.x;
    some = given[in[0] & 3];
  }
}

// race: write later, write later; global; grid (data-dependent)
__global__ void with_a_later_value(int *a, const int *in, int n) {
  int given[4] = {0, 1, n, 3}, some = threadIdx.x;
  for (int k = threadIdx.x; k < 65; k += blockDim.x) {
    if (some > 63) a[blockIdx.x & 1] = blockIdx.x;  // later
    some = given[in[0] & 3];
  }
}

// safe: 1 of 1 pairs
__global__ void only_with_what_is_read_later(int *a, const int *in) {
  int some = threadIdx.x;
  for (int k = threadIdx.x; k < 1; k += blockDim.x) {
    if (some) a[blockIdx.x & 1] = blockIdx.x;
    some = in[0];
  }
}

// race: write read, write read; global; grid (data-dependent)
__global__ void with_what_is_read_later(int *a, const int *in) {
  int some = threadIdx.x;
  for (int k = threadIdx.x; k < 65; k += blockDim.x) {
    if (some > 63) a[blockIdx.x & 1] = blockIdx.x;  // read
    some = in[0];
  }
}

// open: write seven, write seven; global; warp block grid: it depends on values that are not known: some
__global__ void never_more_than_four(int *a, int n, int m) {
  assert(n < 5);
  int some = 0;
  for (int k = 0; k < m; k++) {
    if (some == 7) a[0] = threadIdx.x;  // seven
    some = some == 3 ? n : some * 3 + 1;
    if (some == 2) some = 1;
  }
}
"""

test_kernel = verdicts(SOURCE, block_dim=(64, 1, 1), grid_dim=(16, 1, 1))
