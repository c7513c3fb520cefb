"""Accesses before the beginning of an object, which have no meaning: races are looked for inside."""

from tests.checking import verdicts

SOURCE = """
#include <cstdlib>

// race: write half, write half; global; warp
__global__ void partly_before(float *a) {
  int t = threadIdx.x;
  a[t / 2 - 30] = t;  // half
}

// race: write half, write half; global; warp
__global__ void before_for_some_inputs(float *a, int past) {
  int t = threadIdx.x;
  a[past - t / 2] = t;  // half
}

// race: write half, write half; global; warp
__global__ void behind_a_row(float *a) {
  int t = threadIdx.x;
  a[t / 2 - 40] = t;  // half
}

int main(int, char **values) {
  float *a;
  cudaMalloc(&a, 4096);
  partly_before<<<1, 64>>>(a);
  before_for_some_inputs<<<1, 64>>>(a, atoi(values[1]));
  behind_a_row<<<1, 64>>>(a + 100);
}
"""

WITHOUT_HOST = """
// open: write half, write half; global; warp: it is found only before the beginning of the object
__global__ void before(float *a) {
  int t = threadIdx.x;
  a[t / 2 - 40] = t;  // half
}

// race: write half, write half; global; warp
__global__ void inside(float *a) {
  int t = threadIdx.x;
  a[t / 2 - 30] = t;  // half
}
"""

test_kernel = verdicts(SOURCE)
test_kernel_without_host = verdicts(WITHOUT_HOST, block_dim=(64, 1, 1), grid_dim=(1, 1, 1))
