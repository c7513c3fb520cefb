"""Integer intrinsics are computed, whether their arguments are known or not."""

from tests.checking import verdicts

SOURCE = """
// safe: 1 of 1 pairs
__global__ void reversed(float *out, const float *in) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[__brev(i) >> 22] = in[i];
}
// race: write out, write out; global; grid
__global__ void reversed_too_short(float *out, const float *in) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[__brev(i) >> 23] = in[i];  // out
}
// safe: 1 of 1 pairs
__global__ void by_one(int *a, int width) {
  int t = threadIdx.x;
  a[t >> (__ffs(width) - 1)] = t;
}
// race: write halved, write halved; global; warp
__global__ void by_two(int *a, int width) {
  int t = threadIdx.x;
  a[t >> (__ffs(width) - 1)] = t;  // halved
}
// safe: 1 of 1 pairs
__global__ void scaled(int *a, int width) {
  unsigned t = threadIdx.x;
  if (0 < width && width <= 4096) a[t << (__ffs(width) - 1)] = t;
}
// safe: 1 of 1 pairs
__global__ void rounded_up(int *a, int n) {
  unsigned width = 1u << (32 - __clz(n - 1));
  int t = threadIdx.x;
  if (t < n) a[blockIdx.x * width + t] = t;
}
// race: write rounded, write rounded; global; grid
__global__ void rounded_down(int *a, int n) {
  unsigned width = 1u << (31 - __clz(n - 1));
  int t = threadIdx.x;
  if (t < n) a[blockIdx.x * width + t] = t;  // rounded
}
// safe: 1 of 1 pairs
__global__ void any_width(int *a, int n) {
  unsigned width = 1u << (32 - __clz(n - 1));
  unsigned t = threadIdx.x;
  if (1 < n && n <= 1024 && t < n) a[blockIdx.x * width + t] = t;
}
// race: write rank, write rank; global; warp block
__global__ void counted(int *a) {
  a[__popc(threadIdx.x)] = threadIdx.x;  // rank
}
// safe: 1 of 1 pairs
__global__ void odd_and_even(int *a) {
  a[threadIdx.x / 2 + 128 * (__popc(threadIdx.x) % 2)] = threadIdx.x;
}
// safe: 1 of 1 pairs
__global__ void lowest_first(int *a) {
  int t = threadIdx.x;
  a[64 * __ffs(t) + (t >> 1)] = t;
}
// safe: 1 of 1 pairs
__global__ void last_byte_first(int *a) {
  a[__byte_perm(threadIdx.x, 0, 0x0123) >> 24] = threadIdx.x;
}
// race: write cut, write cut; global; warp
__global__ void last_bits_first(int *a) {
  a[__byte_perm(threadIdx.x, 0, 0x0123) >> 26] = threadIdx.x;  // cut
}
// safe: 1 of 1 pairs
__global__ void back(int *a) {
  a[__funnelshift_r(threadIdx.x << 8, 0, 8)] = threadIdx.x;
}
// race: write high, write high; global; warp
__global__ void high_word(int *a) {
  a[__umulhi(threadIdx.x, 0x80000000u)] = threadIdx.x;  // high
}
int main(int argc, char **argv) {
  float *x, *y;
  int *a;
  cudaMalloc(&x, 4096);
  cudaMalloc(&y, 4096);
  cudaMalloc(&a, 1 << 20);
  reversed<<<4, 256>>>(x, y);
  reversed_too_short<<<4, 256>>>(x, y);
  by_one<<<1, 256>>>(a, 1);
  by_two<<<1, 256>>>(a, 2);
  scaled<<<1, 256>>>(a, argc);
  rounded_up<<<8, 256>>>(a, 200);
  rounded_down<<<8, 256>>>(a, 200);
  any_width<<<8, 256>>>(a, argc);
  counted<<<1, 256>>>(a);
  odd_and_even<<<1, 256>>>(a);
  lowest_first<<<1, 64>>>(a);
  last_byte_first<<<1, 256>>>(a);
  last_bits_first<<<1, 256>>>(a);
  back<<<1, 256>>>(a);
  high_word<<<1, 256>>>(a);
}
"""

test_kernel = verdicts(SOURCE)
