// Seed 1005455: a proof may assume that arithmetic does not wrap around, but not where small launches already do.

// race: read other, write own; global; warp block grid (data-dependent)
__global__ void wraps_at_once(int *a, int *in, int n, short c) {
  int g = blockIdx.x * blockDim.x + threadIdx.x, k = in[blockIdx.x & 31], z = 0;
  unsigned v = g * -1;
  int l = c;
  if (((k >> 5) & 3) == 0) {
    a[64 + g] += threadIdx.x;  // own
    if (((k & 63) ^ 1) < c && c - k > c && ((c % 5) & 3) == 2) l = n * -4;
  }
  if (((k >> 5) & 3) <= 1 && !(7 > v && threadIdx.x < 8)) z += a[64 + (g * n + l)];  // other
}

// safe: 2 of 2 pairs
__global__ void wraps_in_giant_grids(int *a) {
  int g = blockIdx.x * blockDim.x + threadIdx.x;
  a[64 + g] += threadIdx.x;
}
