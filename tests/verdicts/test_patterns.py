"""Access patterns that every CUDA program has, each with a twin that goes wrong."""

from tests.checking import verdicts

SOURCE = """
// safe: 2 of 2 pairs
__global__ void saxpy(float *y, const float *x, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

// race: read next, write here; global; warp block grid
__global__ void shift(float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 1 < n) {
    float v = y[i + 1];  // next
    y[i] = v;  // here
  }
}

// safe: 2 of 2 pairs
__global__ void shift_into_another(float *y, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 1 < n) y[i] = x[i + 1] + y[i];
}

// race: read far, write here; global; block grid
__global__ void shift_by_a_warp(float *y) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (threadIdx.x < 256) {
    float v = y[i + 32];  // far
    y[i] = v;  // here
  }
}

// race: write all, write all; global; warp block grid
__global__ void everyone(int *a) {
  a[0] = threadIdx.x + blockIdx.x;  // all
}

// safe: 1 of 1 pairs
__global__ void one_thread(int *a) {
  if (threadIdx.x == 0 && blockIdx.x == 0) a[0] = blockDim.x;
}

// race: write one, write one; global; grid
__global__ void one_thread_of_each_block(int *a) {
  if (threadIdx.x == 0) a[0] = blockIdx.x;  // one
}

// safe: 1 of 1 pairs
__global__ void one_place_for_each_block(int *a) {
  if (threadIdx.x == 0) a[blockIdx.x] = 1;
}

// race: write block, write block; global; warp block
__global__ void all_threads_for_each_block(int *a) {
  a[blockIdx.x] = threadIdx.x;  // block
}

// race: write half, write half; global; warp
__global__ void halves(int *a) {
  a[blockIdx.x * 512 + threadIdx.x / 2] = threadIdx.x;  // half
}

// safe: 1 of 1 pairs
__global__ void grid_stride(int *a, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) a[i] = 0;
}

// race: write own, write own; global; grid
__global__ void grid_stride_too_short(int *a, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x) a[i] = blockIdx.x;  // own
}

// safe: 1 of 1 pairs
__global__ void chunks(int *a, int chunk) {
  int first = (blockIdx.x * blockDim.x + threadIdx.x) * chunk;
  for (int i = 0; i < chunk; ++i) a[first + i] = i;
}

// race: write last, write last; global; warp block grid
__global__ void chunks_that_overlap(int *a, int chunk) {
  int first = (blockIdx.x * blockDim.x + threadIdx.x) * chunk;
  for (int i = 0; i <= chunk; ++i) a[first + i] = i;  // last
}

// safe: 1 of 1 pairs
__global__ void condition_on_a_counter(int *a, int n) {
  int k = 0;
  for (int i = 0; i < n; ++i) k += 2;
  if (k == 3) a[0] = threadIdx.x;
}

// race: write first, write first; global; warp block grid
__global__ void condition_on_a_counter_that_can_hold(int *a, int n) {
  int k = 0;
  for (int i = 0; i < n; ++i) k += 2;
  if (k == 4) a[0] = threadIdx.x;  // first
}

// safe: 1 of 1 pairs
__global__ void matrix(float *m, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) m[y * width + x] = 0;
}

// race: write cell, write cell; global; warp block grid (unless (blockDim.x * gridDim.x) <= width)
__global__ void matrix_without_a_bound(float *m, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (y < height) m[y * width + x] = x - y;  // cell
}

// race: read increment, write increment; global; warp block grid
// race: write increment, write increment; global; warp block grid
__global__ void post_increment(int *a, int n) {
  a[threadIdx.x % n]++;  // increment
}

// race: read sum, write sum; global; warp block grid
// race: write sum, write sum; global; warp block grid
__global__ void compound(int *sum) {
  *sum += threadIdx.x;  // sum
}

// safe: 2 of 2 pairs
__global__ void increments_of_ones_own(int *a) {
  a[blockIdx.x * blockDim.x + threadIdx.x]++;
}

// safe: 1 of 1 pairs
__global__ void interleaved(int *a) {
  a[2 * (blockIdx.x * blockDim.x + threadIdx.x) + 1] = 0;
}

// safe: 5 of 5 pairs
__global__ void evens_and_odds(int *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = a[2 * i];
  a[2 * i + 1] = v;
  a[2 * i] = 0;
}

// race: read odd, write even; global; warp block grid
__global__ void evens_and_threes(int *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = a[3 * i];  // odd
  a[2 * i] = v;  // even
}
"""

test_kernel = verdicts(SOURCE)
