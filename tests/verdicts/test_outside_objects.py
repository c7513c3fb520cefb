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

ALL_THREADS_LEAVE = """
// open: write half, write half; shared; warp: no thread stays within s here
__global__ void behind_the_end() {
  __shared__ int s[32];
  int t = threadIdx.x;
  s[t / 2 + 64] = t;  // half
}

// race: read next, write here; shared; warp block
__global__ void in_the_last_iteration() {
  __shared__ int s[128];
  int t = threadIdx.x;
  for (int step = 1; step < 128; step *= 2) {
    int v = s[t + step];  // next
    s[t] = v + step;  // here
    __syncthreads();
  }
}

// safe: 3 of 3 pairs
__global__ void those_with_a_partner_stay() {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  s[t + 63] = 1;
}

int main() {
  behind_the_end<<<1, 64>>>();
  in_the_last_iteration<<<1, 64>>>();
  those_with_a_partner_stay<<<1, 64>>>();
}
"""

test_kernel = verdicts(SOURCE)
test_kernel_where_all_threads_leave = verdicts(ALL_THREADS_LEAVE)
test_kernel_without_host = verdicts(WITHOUT_HOST, block_dim=(64, 1, 1), grid_dim=(1, 1, 1))
