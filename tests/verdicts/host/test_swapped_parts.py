"""Two parts of one allocation that a loop of the host swaps: each pointer is where one of them was."""

from tests.checking import verdicts

SOURCE = """
#include <utility>

// safe: 4 of 4 pairs
__global__ void apart(const float *x, float *y) {
  y[blockIdx.x * 64 + threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x]; }

// race: read overlapping, write overlapping; global; warp block grid
__global__ void overlapping(const float *x, float *y) {
  y[blockIdx.x * 64 + threadIdx.x] =  // overlapping
      x[blockIdx.x * 64 + threadIdx.x]; }  // overlapping

// safe: 7 of 7 pairs
__global__ void by_hand(const float *x, float *y) {
  y[blockIdx.x * 64 + threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x]; }

int main() {
  float *a;
  cudaMalloc(&a, 1 << 24);
  float *x = a, *y = a + 1024;
  for (int t = 0; t < 4; ++t) {
    apart<<<16, 64>>>(x, y);
    std::swap(x, y);
  }
  float *p = a, *q = a + 8;
  for (int t = 0; t < 4; ++t) {
    overlapping<<<16, 64>>>(p, q);
    std::swap(p, q);
  }
  float *v = a, *w = a + 1024;
  for (int t = 0; t < 4; ++t) {
    by_hand<<<16, 64>>>(v, w);
    float *old = v;
    v = w;
    w = old;
  }
}
"""

test_kernel = verdicts(SOURCE)
