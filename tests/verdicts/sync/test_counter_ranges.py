"""Numbers that a counter gives: from where it was reset to as many more as there are threads that draw."""

from tests.checking import verdicts

SOURCE = """
// safe: 3 of 3 pairs
__global__ void a_row_for_each_block(const int *in, int *out) {
  __shared__ int n;
  if (threadIdx.x == 0) n = 0;
  __syncthreads();
  int v = in[blockIdx.x * 64 + threadIdx.x];
  if (v > 0) out[blockIdx.x * 64 + atomicAdd(&n, 1)] = v;
}

// race: write slot, write slot; global; grid (data-dependent)
__global__ void a_row_too_short(const int *in, int *out) {
  __shared__ int n;
  if (threadIdx.x == 0) n = 0;
  __syncthreads();
  int v = in[blockIdx.x * 64 + threadIdx.x];
  if (v > 0) out[blockIdx.x * 63 + atomicAdd(&n, 1)] = v;  // slot
}

// race: write slot, write slot; global; grid (data-dependent)
__global__ void a_counter_that_begins_at_one_in_some_blocks(const int *in, int *out) {
  __shared__ int n;
  if (threadIdx.x == 0) n = 0;
  __syncthreads();
  if (threadIdx.x == 0 && in[blockIdx.x] > 0) n = 1;
  __syncthreads();
  int v = in[blockIdx.x * 64 + threadIdx.x];
  if (v > 0) out[blockIdx.x * 64 + atomicAdd(&n, 1)] = v;  // slot
}

// race: write slot, write slot; global; grid (data-dependent)
__global__ void two_for_each_thread(const int *in, int *out) {
  __shared__ int n;
  if (threadIdx.x == 0) n = 0;
  __syncthreads();
  int v = in[blockIdx.x * 64 + threadIdx.x];
  if (v > 0) out[blockIdx.x * 64 + atomicAdd(&n, 2)] = v;  // slot
}

// safe: 3 of 3 pairs
__global__ void two_for_each_thread_in_a_long_row(const int *in, int *out) {
  __shared__ int n;
  if (threadIdx.x == 0) n = 0;
  __syncthreads();
  int v = in[blockIdx.x * 64 + threadIdx.x];
  if (v > 0) out[blockIdx.x * 128 + atomicAdd(&n, 2) + 1] = v;
}

// safe: 6 of 6 pairs
__global__ void drawn_twice(const int *in, int *out) {
  __shared__ int n;
  if (threadIdx.x == 0) n = 0;
  __syncthreads();
  int v = in[blockIdx.x * 64 + threadIdx.x];
  if (v > 0) out[blockIdx.x * 128 + atomicAdd(&n, 1)] = v;
  if (v > 5) out[blockIdx.x * 128 + atomicAdd(&n, 1)] = v;
}

// race: write first, write second; global; grid (data-dependent)
// race: write first, write first; global; grid (data-dependent)
// race: write second, write second; global; grid (data-dependent)
__global__ void drawn_twice_for_a_row_too_short(const int *in, int *out) {
  __shared__ int n;
  if (threadIdx.x == 0) n = 0;
  __syncthreads();
  int v = in[blockIdx.x * 64 + threadIdx.x];
  if (v > 0) out[blockIdx.x * 127 + atomicAdd(&n, 1)] = v;  // first
  if (v > 5) out[blockIdx.x * 127 + atomicAdd(&n, 1)] = v;  // second
}

// race: write slot, write slot; global; grid (data-dependent)
__global__ void drawn_in_a_loop(const int *in, int *out) {
  __shared__ int n;
  if (threadIdx.x == 0) n = 0;
  __syncthreads();
  for (int k = 0; k < 2; k++) {
    int v = in[(blockIdx.x * 2 + k) * 64 + threadIdx.x];
    if (v > 0) out[blockIdx.x * 64 + atomicAdd(&n, 1)] = v;  // slot
  }
}

// safe: 3 of 3 pairs
__global__ void reset_in_each_round(const int *in, int *out, int rounds) {
  __shared__ int n;
  for (int k = 0; k < rounds; k++) {
    if (threadIdx.x == 0) n = 0;
    __syncthreads();
    int v = in[(blockIdx.x * rounds + k) * 64 + threadIdx.x];
    if (v > 0) out[k * 1024 + blockIdx.x * 64 + atomicAdd(&n, 1)] = v;
    __syncthreads();
  }
}

// race: write slot, write slot; global; grid (data-dependent)
__global__ void reset_in_some_rounds(const int *in, int *out, int rounds) {
  __shared__ int n;
  if (threadIdx.x == 0) n = 0;
  for (int k = 0; k < rounds; k++) {
    if (threadIdx.x == 0 && k % 2 == 0) n = 0;
    __syncthreads();
    int v = in[(blockIdx.x * rounds + k) * 64 + threadIdx.x];
    if (v > 0) out[k * 1024 + blockIdx.x * 64 + atomicAdd(&n, 1)] = v;  // slot
    __syncthreads();
  }
}

// race: write slot, write slot; global; grid (data-dependent)
__global__ void reset_by_a_thread_that_may_have_left(const int *in, int *out, int rounds) {
  __shared__ int n;
  if (threadIdx.x == 0) n = 0;
  for (int k = 0; k < rounds; k++) {
    if (in[k * 64 + threadIdx.x] < 0) return;
    if (threadIdx.x == 0) n = 0;
    __syncthreads();
    int v = in[(blockIdx.x * rounds + k) * 64 + threadIdx.x];
    if (v > 0) out[k * 1024 + blockIdx.x * 64 + atomicAdd(&n, 1)] = v;  // slot
    __syncthreads();
  }
}

// safe: 3 of 3 pairs
__global__ void from_the_end(const int *in, int *out) {
  __shared__ int n;
  if (threadIdx.x == 0) n = 64;
  __syncthreads();
  int v = in[blockIdx.x * 64 + threadIdx.x];
  if (v > 0) out[blockIdx.x * 64 + atomicSub(&n, 1) - 1] = v;
}

// race: write slot, write slot; global; grid (data-dependent)
__global__ void from_behind_the_end(const int *in, int *out) {
  __shared__ int n;
  if (threadIdx.x == 0) n = 64;
  __syncthreads();
  int v = in[blockIdx.x * 64 + threadIdx.x];
  if (v > 0) out[blockIdx.x * 63 + atomicSub(&n, 1)] = v;  // slot
}

// safe: 3 of 3 pairs
__global__ void a_ring(const int *in, int *out) {
  __shared__ unsigned n;
  if (threadIdx.x == 0) n = 0;
  __syncthreads();
  unsigned at = atomicInc(&n, 0xffffffffu) & 63u;
  out[blockIdx.x * 64 + at] = in[blockIdx.x * 64 + threadIdx.x];
}

// race: write slot, write slot; global; warp block (data-dependent)
__global__ void a_ring_too_small(const int *in, int *out) {
  __shared__ unsigned n;
  if (threadIdx.x == 0) n = 0;
  __syncthreads();
  unsigned at = atomicInc(&n, 0xffffffffu) & 31u;
  out[blockIdx.x * 64 + at] = in[blockIdx.x * 64 + threadIdx.x];  // slot
}

// race: write slot, write slot; global; warp block (data-dependent)
__global__ void a_counter_that_begins_again(const int *in, int *out) {
  __shared__ unsigned n;
  if (threadIdx.x == 0) n = 0;
  __syncthreads();
  unsigned at = atomicInc(&n, 62u) & 63u;
  out[blockIdx.x * 64 + at] = in[blockIdx.x * 64 + threadIdx.x];  // slot
}

// safe: 1 of 1 pairs
__global__ void a_ring_for_the_grid(const int *in, int *out, unsigned *head) {
  out[atomicAdd(head, 1u) & 1023u] = in[blockIdx.x * 64 + threadIdx.x];
}

// race: write slot, write slot; global; warp block grid (data-dependent)
__global__ void a_ring_too_small_for_the_grid(const int *in, int *out, unsigned *head) {
  out[atomicAdd(head, 1u) & 511u] = in[blockIdx.x * 64 + threadIdx.x];  // slot
}

// open: write slot, write slot; global; warp block grid: it depends on values that the kernel computes: add()
__global__ void a_ring_for_the_grid_in_a_loop(const int *in, int *out, unsigned *head) {
  for (int k = 0; k < 2; k++) out[atomicAdd(head, 1u) & 1023u] = in[k * 1024 + blockIdx.x * 64 + threadIdx.x];  // slot
}

// note: write reset, write reset; shared; warp block (data-dependent)
// race: atomic count, write reset; shared; warp block (data-dependent)
// race: write slot, write slot; global; warp block grid (data-dependent)
__global__ void reset_in_between(const int *in, int *out) {
  __shared__ int n;
  if (threadIdx.x == 0) n = 0;
  __syncthreads();
  int v = in[blockIdx.x * 64 + threadIdx.x], at = 0;
  if (v > 0) at = atomicAdd(&n, 1);  // count
  if (v > 7) n = 7;  // reset
  out[blockIdx.x * 64 + at] = v;  // slot
}

// race: write slot, write slot; global; warp block grid (data-dependent)
__global__ void one_draws_and_the_others_take_another_place(int *out) {
  __shared__ int n;
  if (threadIdx.x == 0) n = 0;
  __syncthreads();
  int at = 5;
  if (threadIdx.x == 0) at = atomicAdd(&n, 1);
  out[at] = threadIdx.x;  // slot
}

// race: write slot, write slot; global; warp block grid (data-dependent)
__global__ void one_draws_from_a_ring_and_the_others_take_another_place(int *out, unsigned *n) {
  unsigned at = 5;
  if (threadIdx.x == 0 && blockIdx.x == 0) at = atomicAdd(n, 1) & 1023u;
  out[at] = threadIdx.x;  // slot
}
"""

test_kernel = verdicts(SOURCE, block_dim=(64, 1, 1), grid_dim=(16, 1, 1))


OF_ANY_SIZE = """
// safe: 3 of 3 pairs
__global__ void a_row_for_each_block(const int *in, int *out) {
  __shared__ int n;
  if (threadIdx.x == 0) n = 0;
  __syncthreads();
  int v = in[blockIdx.x * blockDim.x + threadIdx.x];
  if (v > 0) out[blockIdx.x * blockDim.x + atomicAdd(&n, 1)] = v;
}

// race: write slot, write slot; global; grid (data-dependent)
__global__ void reset_by_a_thread_that_not_all_blocks_have(const int *in, int *out) {
  __shared__ int n;
  if (threadIdx.x == 5) n = 0;
  __syncthreads();
  int v = in[blockIdx.x * blockDim.x + threadIdx.x];
  if (v > 0) out[blockIdx.x * blockDim.x + atomicAdd(&n, 1)] = v;  // slot
}
"""

test_blocks_of_any_size = verdicts(OF_ANY_SIZE)
