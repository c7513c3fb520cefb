"""Barriers of the last iteration: what comes after a loop is behind all that its last iteration passes."""

from tests.checking import verdicts

SOURCE = """
// safe: 17 of 17 pairs
__global__ void strides_of_a_warp_up_to_the_last(int *keys) {
  __shared__ int s[128];
  int t = threadIdx.x;
  s[t] = keys[t];
  __syncthreads();
  for (int k = 2; k <= 128; k <<= 1) {
    for (int j = k >> 1; j > 0; j >>= 1) {
      int o = t ^ j;
      if (o > t) {
        int a = s[t], b = s[o];
        if ((a > b) == ((t & k) == 0)) { s[t] = b; s[o] = a; }
      }
      if (j >= 32 || j == 1) __syncthreads();
      else __syncwarp();
    }
  }
  keys[t] = s[t];
}

// race: read read, write write; shared; block (data-dependent)
// race: read read, write write; shared; block (data-dependent)
// race: read read, write write; shared; block (data-dependent)
// race: write write, write write; shared; block (data-dependent)
// race: write write, write write; shared; block (data-dependent)
__global__ void strides_of_a_warp_and_the_last(int *keys) {
  __shared__ int s[128];
  int t = threadIdx.x;
  s[t] = keys[t];
  __syncthreads();
  for (int k = 2; k <= 128; k <<= 1) {
    for (int j = k >> 1; j > 0; j >>= 1) {
      int o = t ^ j;
      if (o > t) {
        int a = s[t], b = s[o];  // read
        if ((a > b) == ((t & k) == 0)) { s[t] = b; s[o] = a; }  // write
      }
      if (j >= 32) __syncthreads();
      else __syncwarp();
    }
  }
  keys[t] = s[t];
}

int main() {
  int *keys;
  cudaMalloc(&keys, 512);
  strides_of_a_warp_up_to_the_last<<<1, 128>>>(keys);
  strides_of_a_warp_and_the_last<<<1, 128>>>(keys);
}
"""

test_kernel = verdicts(SOURCE)
