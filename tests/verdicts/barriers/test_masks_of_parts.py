"""Warp barriers with a mask for each part of a warp: halves and quarters wait for themselves alone."""

from tests.checking import verdicts

SOURCE = """
// safe: 3 of 3 pairs
__global__ void within_a_half(int *out) {
  __shared__ int s[128];
  int t = threadIdx.x;
  s[t] = t;
  __syncwarp(0xffffu << (t & 16));
  out[blockIdx.x * 128 + t] = s[t ^ 15];
}

// race: read other, write own; shared; warp
__global__ void across_halves(int *out) {
  __shared__ int s[128];
  int t = threadIdx.x;
  s[t] = t;  // own
  __syncwarp(0xffffu << (t & 16));
  out[blockIdx.x * 128 + t] = s[t ^ 16];  // other
}

// safe: 3 of 3 pairs
__global__ void within_a_quarter(int *out) {
  __shared__ int s[128];
  int t = threadIdx.x;
  unsigned mask = 0xffu << (t % 32 / 8 * 8);
  s[t] = t;
  __syncwarp(mask);
  out[blockIdx.x * 128 + t] = s[t ^ 7];
}

// race: read other, write own; shared; warp
__global__ void across_quarters(int *out) {
  __shared__ int s[128];
  int t = threadIdx.x;
  unsigned mask = 0xffu << (t % 32 / 8 * 8);
  s[t] = t;  // own
  __syncwarp(mask);
  out[blockIdx.x * 128 + t] = s[t ^ 8];  // other
}

// safe: 3 of 3 pairs
__global__ void in_rows_of_warps(int *out) {
  __shared__ int s[2][64];
  int x = threadIdx.x, y = threadIdx.y;
  s[y][x] = x;
  __syncwarp(0xffffu << (x & 16));
  out[(blockIdx.x * 2 + y) * 64 + x] = s[y][x ^ 15];
}

int main() {
  int *a;
  cudaMalloc(&a, 1 << 20);
  within_a_half<<<16, 128>>>(a);
  across_halves<<<16, 128>>>(a);
  within_a_quarter<<<16, 128>>>(a);
  across_quarters<<<16, 128>>>(a);
  in_rows_of_warps<<<16, dim3(64, 2)>>>(a);
}
"""

test_kernel = verdicts(SOURCE)
