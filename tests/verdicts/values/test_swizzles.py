"""Swizzled indexes, which no arithmetic but that of all threads of a block decides."""

from tests.checking import verdicts

SOURCE = """
// safe: 3 of 3 pairs
__global__ void by_an_odd_factor(const float *in, float *out) {
  __shared__ float s[256];
  int row = threadIdx.x & 7, column = threadIdx.x >> 3, t = threadIdx.x;
  s[row * 32 + (column * (2 * row + 1) & 31)] = in[blockIdx.x * 256 + t];
  __syncthreads();
  out[blockIdx.x * 256 + t] = s[t];
}

// race: write here, write here; shared; block
__global__ void by_a_factor_that_may_be_even(const float *in, float *out) {
  __shared__ float s[256];
  int row = threadIdx.x & 7, column = threadIdx.x >> 3, t = threadIdx.x;
  s[row * 32 + (column * (row + 1) & 31)] = in[blockIdx.x * 256 + t];  // here
  __syncthreads();
  out[blockIdx.x * 256 + t] = s[t];
}

// safe: 1 of 1 pairs
__global__ void in_rounds(int *out) {
  __shared__ int s[1024];
  int row = threadIdx.x & 7, column = threadIdx.x >> 3;
  for (int k = 0; k < 4; k++) s[k * 256 + row * 32 + (column * (2 * row + 5) & 31)] = k;
}

// race: write here, write here; shared; warp block
__global__ void in_rounds_that_overlap(int *out) {
  __shared__ int s[1024];
  int row = threadIdx.x & 7, column = threadIdx.x >> 3;
  for (int k = 0; k < 4; k++) s[k * 128 + row * 32 + (column * (2 * row + 5) & 31)] = k;  // here
}

// race: write here, write here; shared; warp
__global__ void in_rounds_of_which_two_are_alike(int *out) {
  __shared__ int s[10496];
  int row = threadIdx.x & 7, column = threadIdx.x >> 3;
  for (int k = 0; k < 41; k++) {
    bool back = k == 37 && threadIdx.x == 201;
    s[(back ? 3 : k) * 256 + row * 32 + ((back + column) * (2 * row + 5) & 31)] = k;  // here
  }
}
"""

test_kernel = verdicts(SOURCE, block_dim=(256, 1, 1), grid_dim=(16, 1, 1))
