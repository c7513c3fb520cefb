"""Barriers under conditions that all threads of a block agree on in the same iterations of the loops around."""

from tests.checking import verdicts

SOURCE = """
// safe: 7 of 7 pairs
__global__ void columns_until_a_pivot_fails(double *a) {
  __shared__ double s[64][65];
  int row = threadIdx.x;
  for (int r = 0; r < 64; ++r) s[r][row] = a[r * 64 + row];
  __syncthreads();
  for (int k = 0; k < 64; ++k) {
    double pivot = s[k][k];
    if (!(pivot > 0)) break;
    __syncthreads();
    if (row >= k) s[row][k] *= pivot;
    __syncthreads();
  }
}

// race: read top, write low; shared; warp block (data-dependent)
__global__ void columns_without_waiting(double *a) {
  __shared__ double s[64][65];
  int row = threadIdx.x;
  for (int r = 0; r < 64; ++r) s[r][row] = a[r * 64 + row];
  __syncthreads();
  for (int k = 0; k < 64; ++k) {
    double pivot = s[k][k];  // top
    if (!(pivot > 0)) break;
    if (row >= k) s[row][k] = pivot;  // low
    __syncthreads();
  }
}

// open: read top, write low; shared; warp block: a barrier that some threads do not reach may order the two accesses
__global__ void columns_until_a_pivot_of_each_fails(double *a) {
  __shared__ double s[64][65];
  int row = threadIdx.x;
  for (int r = 0; r < 64; ++r) s[r][row] = a[r * 64 + row];
  __syncthreads();
  for (int k = 0; k < 64; ++k) {
    double pivot = s[(row + k) % 64][k];  // top
    if (!(pivot > 0)) break;
    __syncthreads();
    if (row >= k) s[row][k] = 2;  // low
    __syncthreads();
  }
}

// safe: 3 of 3 pairs
__global__ void wider_steps_wait_for_the_block(int *a) {
  __shared__ int s[128];
  int before = 64;
  for (int size = 2; size <= 128; size <<= 1) {
    for (int stride = size / 2; stride > 0; stride >>= 1) {
      if (stride > 32 || before > 32) __syncthreads();
      else __syncwarp();
      int low = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
      s[low] += s[low + stride];
      before = stride;
    }
  }
}

// race: read here, write here; shared; block
// race: read here, write here; shared; block
// race: write here, write here; shared; block
__global__ void wider_steps_forgotten(int *a) {
  __shared__ int s[128];
  int before = 64;
  for (int size = 2; size <= 128; size <<= 1) {
    for (int stride = size / 2; stride > 0; stride >>= 1) {
      if (stride > 32 || stride > before) __syncthreads();
      else __syncwarp();
      int low = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
      s[low] += s[low + stride];  // here
      before = stride;
    }
  }
}

// safe: 1 of 1 pairs
__global__ void waits_after_the_first_round(int *a, int n) {
  __shared__ int s[128];
  int before = 0;
  for (int i = 1; i < n; ++i) {
    if (before > 0) __syncthreads();
    s[(threadIdx.x + i) % 128] = a[i];
    before = i;
  }
}

// race: write here, write here; shared; warp block
__global__ void waits_after_the_second_round(int *a, int n) {
  __shared__ int s[128];
  int before = 0;
  for (int i = 1; i < n; ++i) {
    if (before > 1) __syncthreads();
    s[(threadIdx.x + i) % 128] = a[i];  // here
    before = i;
  }
}

// race: write begun, write round; shared; warp block
__global__ void waits_in_no_first_round(int *a) {
  __shared__ int s[64];
  s[threadIdx.x] = 1;  // begun
  int before = 0;
  for (int i = 2; i < 9; ++i) {
    if (before > 0) __syncthreads();
    s[(threadIdx.x + i) % 64] = i;  // round
    before = i;
  }
}

// race: read mirrored, write mark; shared; block (data-dependent)
__global__ void rounds_by_a_list(int *out, const int *in) {
  __shared__ int told[8], s[64];
  if (threadIdx.x < 8) told[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  int i = 0;
  do {
    s[threadIdx.x] = i;  // mark
    __syncthreads();
    out[threadIdx.x] += s[63 - threadIdx.x];  // mirrored
    i++;
  } while (told[i] == 2 * i);
}

// safe: 6 of 6 pairs
__global__ void rounds_by_a_list_that_wait_twice(int *out, const int *in) {
  __shared__ int told[8], s[64];
  if (threadIdx.x < 8) told[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (int i = 0; told[i] == 2 * i; ++i) {
    s[threadIdx.x] = i;
    __syncthreads();
    out[threadIdx.x] += s[63 - threadIdx.x];
    __syncthreads();
  }
}
"""

test_kernel = verdicts(SOURCE, grid_dim=(1, 1, 1), block_dim=(64, 1, 1))
