"""Loops that go on while two numbers differ end where these are first equal."""

from tests.checking import verdicts

SOURCE = """
// safe: 2 of 2 pairs
__global__ void up_to(float *y, int n) {
  float sum = 0;
  for (int j = 1; j != n; j++) sum += y[j];
  y[threadIdx.x + n] = sum;
}

// race: read sum, write last; global; warp block
__global__ void up_to_what_is_read(float *y, int n) {
  float sum = 0;
  for (int j = 1; j != n; j++) sum += y[j];  // sum
  y[threadIdx.x + n - 1] = sum;  // last
}

// safe: 2 of 2 pairs
__global__ void difference_as_a_test(float *y, unsigned n) {
  float sum = 0;
  for (int j = 1; j - n; j++) sum += y[j];
  y[threadIdx.x + n] = sum;
}

// safe: 2 of 2 pairs
__global__ void down_to_zero(float *y, unsigned n) {
  float sum = 0;
  for (unsigned j = n; j; j--) sum += y[j];
  y[threadIdx.x + n + 1] = sum;
}

// race: read sum, write first; global; warp block
__global__ void down_past_zero(float *y, unsigned n) {
  float sum = 0;
  for (unsigned j = n; j != 0xffffffffu; j--) sum += y[j];  // sum
  y[threadIdx.x] = sum;  // first
}

// safe: 2 of 2 pairs
__global__ void in_steps(float *y, int n) {
  float sum = 0;
  int j = 0;
  do { sum += y[j]; j += 2; } while (j != n);
  y[threadIdx.x + n] = sum;
}

// safe: 2 of 2 pairs
__global__ void in_steps_it_never_misses(float *y, int n) {
  float sum = 0;
  for (int j = 0; j != n; j += 2) sum += y[j];
  y[2 * threadIdx.x + n + 1] = sum;
}

// race: read sum, write last; global; warp block
__global__ void in_steps_up_to_what_is_read(float *y, int n) {
  float sum = 0;
  int j = 0;
  do { sum += y[j]; j += 2; } while (j != n);  // sum
  y[threadIdx.x + n - 2] = sum;  // last
}

// race: read sum, write at; global; warp block (unless n > 0)
__global__ void ends_by_a_break(float *y, int n, int m) {
  float sum = 0;
  for (int j = 1; j != n; j++) {
    if (y[j] > m) break;  // sum
  }
  y[threadIdx.x + n + 1] = 1;  // at
}

// safe: 1 of 1 pairs
__global__ void constants(float *y) {
  for (int j = 0; j != 12; j += 3) y[threadIdx.x * 12 + j] = 1;
}
"""

test_verdict = verdicts(SOURCE, grid_dim=(1, 1, 1))
