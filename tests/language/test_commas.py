"""The comma operator: what stands before a comma counts, and what stands behind it does, whether it is used or not."""

from tests.checking import verdicts

SOURCE = """
__device__ int &marked(int *a, int i) {
  a[i] = threadIdx.x;  // mark
  return a[i];  // marked
}

// race: read index, write own; global; warp block
__global__ void subscript_of_a_value(int *a, int *b, int *c) {
  int t = threadIdx.x, x;
  a[t] = (x = 0,
          b[c[t + 1]]);  // index
  c[t] = x;  // own
}

// safe: 3 of 3 pairs
__global__ void subscript_of_a_value_of_ones_own(int *a, int *b, int *c) {
  int t = threadIdx.x, x;
  a[t] = (x = 0, b[c[t]]);
  c[t] = x;
}

// race: read index, write own; global; warp block
__global__ void subscript_of_a_place(int *a, int *c) {
  int t = threadIdx.x, x;
  (x = 0,
   a[2 * t + (c[t + 1] & 1)]) = 1;  // index
  c[t] = x;  // own
}

// safe: 3 of 3 pairs
__global__ void subscript_of_a_place_of_ones_own(int *a, int *c) {
  int t = threadIdx.x, x;
  (x = 0, a[2 * t + (c[t] & 1)]) = 1;
  c[t] = x;
}

// race: write mark, write mark; global; warp
__global__ void call_that_is_not_used(int *a) {
  int x;
  x = 0, marked(a, threadIdx.x / 2);
}

// safe: 1 of 1 pairs
__global__ void call_that_is_not_used_of_ones_own(int *a) {
  int x;
  x = 0, marked(a, threadIdx.x);
}

// race: write mark, write mark; global; warp
__global__ void call_that_a_name_is_for(int *a) {
  int x;
  int &r = (x = 0, marked(a, threadIdx.x / 2));
}

// safe: 1 of 1 pairs
__global__ void call_that_a_name_is_for_of_ones_own(int *a) {
  int x;
  int &r = (x = 0, marked(a, threadIdx.x));
}

// race: read own, write next; global; warp block
__global__ void pointer_that_moves(int *a) {
  int x, *p = a + threadIdx.x;
  x = 0, *p++;
  *p =  // next
      a[threadIdx.x];  // own
}

// safe: 2 of 2 pairs
__global__ void pointer_that_moves_there_and_back(int *a) {
  int x, *p = a + threadIdx.x;
  x = 0, *p++;
  x = 1, *p--;
  *p = a[threadIdx.x];
}

// race: write both, write both; global; warp block
__global__ void twice(int *a) {
  int i = threadIdx.x;
  (a[i++] = 1, a[i++]) = 2;  // both
}

// race: write before, write before; global; warp
__global__ void store_before(int *a) {
  int x = threadIdx.x, y;
  a[x / 2] = x, y;  // before
}

// safe: 2 of 2 pairs
__global__ void loops_over_two(int *a, int n) {
  int i, j;
  for (i = 0, j = threadIdx.x; i < n; ++i, j += blockDim.x) a[j] += 1;
}
"""

test_kernel = verdicts(SOURCE, block_dim=(64, 1, 1), grid_dim=(1, 1, 1))
