"""Records that a loop assigns as a whole: what is in them after an iteration is not known, part by part."""

from tests.checking import verdicts

SOURCE = """
#include <cuda_fp16.h>
struct Pair { int x, y; };
__device__ Pair next(Pair p) { Pair q; q.x = p.y; q.y = p.x + 1; return q; }

// safe: 1 of 1 pairs
__global__ void sums(const half2 *a, half *out, int n) {
  half2 sum = make_half2(0.0f, 0.0f);
  for (int i = 0; i < n; ++i) sum = __hadd2(sum, a[i]);
  out[blockIdx.x * blockDim.x + threadIdx.x] = __low2half(sum);
}

// race: write same, write same; global; grid
__global__ void sums_of_a_block(const half2 *a, half *out, int n) {
  half2 sum = make_half2(0.0f, 0.0f);
  for (int i = 0; i < n; ++i) sum = __hadd2(sum, __halves2half2(a[i].x, (half)(float)blockIdx.x));
  out[threadIdx.x] = __low2half(sum);  // same
}

// open: write lost, write lost; global; warp block grid: it depends on values that are not known: p
__global__ void steps(int *out, int n) {
  Pair p = {(int)threadIdx.x, 0};
  for (int i = 0; i < n; ++i) p = next(p);
  out[p.x] = threadIdx.x;  // lost
}

// race: write once, write once; global; grid
__global__ void no_step(int *out) {
  Pair p = {(int)threadIdx.x, 0};
  for (int i = 0; i < 0; ++i) p = next(p);
  out[p.x] = blockIdx.x;  // once
}
"""

test_verdicts = verdicts(SOURCE)
