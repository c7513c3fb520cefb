"""Atomics: who they include, and the tickets that they hand out."""

from tests.checking import verdicts

SOURCE = """
// safe: 0 of 0 pairs
__global__ void device_scope(int *sum) {
  atomicAdd(sum, 1);
}

// race: atomic count, atomic count; global; grid
__global__ void block_scope_between_blocks(int *sum) {
  atomicAdd_block(sum, 1);  // count
}

// safe: 1 of 1 pairs
__global__ void block_scope_within_a_block(int *sums) {
  atomicAdd_block(&sums[blockIdx.x], 1);
}

// race: atomic overlapping, atomic wider; global; warp block grid
// race: write overlapping, write overlapping; global; warp block grid (data-dependent)
__global__ void counters_that_overlap(unsigned *count, int *out) {
  // takes one away from the first half
  atomicAdd((unsigned long long *)count, 0xFFFFFFFFull);  // wider
  out[atomicAdd(count, 1)] = threadIdx.x;  // overlapping
}

// race: atomic narrow, atomic wide; global; grid
// race: atomic narrow, atomic narrow; global; grid
__global__ void scopes_that_differ(int *sum) {
  atomicAdd(sum, 1);  // wide
  atomicAdd_block(sum, 1);  // narrow
}

// safe: 0 of 0 pairs
__global__ void shared_memory_has_one_block(int *out) {
  __shared__ int sum;
  atomicAdd_block(&sum, 1);
}

// race: atomic count, read plain; global; warp block grid
__global__ void read_while_counting(int *sum, int *out) {
  atomicAdd(sum, 1);  // count
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum[0];  // plain
}

// race: atomic count, write reset; shared; warp block
__global__ void reset_while_counting(int *out) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;  // reset
  atomicAdd(&sum, 1);  // count
}

// safe: 2 of 2 pairs
__global__ void reset_before_counting(int *out) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, 1);
}

// race: write bin, write bin; global; warp block grid (data-dependent)
// race: read bin, write bin; global; warp block grid (data-dependent)
__global__ void histogram(int *bins, const int *data) {
  bins[data[blockIdx.x * blockDim.x + threadIdx.x]] += 1;  // bin
}

// safe: 0 of 0 pairs
__global__ void atomic_histogram(int *bins, const int *data) {
  atomicAdd(&bins[data[blockIdx.x * blockDim.x + threadIdx.x]], 1);
}

// safe: 1 of 1 pairs
__global__ void tickets(int *out, int *next) {
  int slot = atomicAdd(next, 1);
  out[slot] = threadIdx.x;
}

// race: write slot, write slot; global; warp block grid (data-dependent)
__global__ void tickets_of_zero(int *out, int *next) {
  int slot = atomicAdd(next, 0);
  out[slot] = threadIdx.x;  // slot
}

// race: write pushed, write pushed; global; warp block grid (data-dependent)
__global__ void tickets_taken_back_by_adding(int *out, unsigned *next) {
  if (threadIdx.x % 2) {
    unsigned slot = atomicAdd(next, 1u);
    out[slot] = threadIdx.x;  // pushed
  } else {
    atomicAdd(next, -1);
  }
}

// race: write slot, write slot; global; warp block grid (data-dependent)
__global__ void tickets_of_one_or_minus_one(int *out, unsigned *next) {
  unsigned slot = atomicAdd(next, threadIdx.x % 2 ? 1u : ~0u);
  out[slot] = threadIdx.x;  // slot
}

// safe: 1 of 1 pairs
__global__ void tickets_for_pairs(int *out, int *next) {
  int slot = atomicAdd(next, 2);
  for (int i = 0; i < 2; ++i) out[slot + i] = threadIdx.x;
}

// race: write slot, write slot; global; warp block grid (data-dependent)
__global__ void tickets_too_small(int *out, int *next) {
  int slot = atomicAdd(next, 1);
  for (int i = 0; i < 2; ++i) out[slot + i] = threadIdx.x;  // slot
}

// race: write slot, write slot; global; warp block grid (data-dependent)
__global__ void tickets_handed_out_and_taken_back(int *out, int *next) {
  int slot = atomicAdd(next, 1);
  out[slot] = threadIdx.x;  // slot
  atomicSub(next, 1);
}

// race: write slot, write slot; global; grid (data-dependent)
__global__ void tickets_of_each_block(int *out) {
  __shared__ int next;
  if (threadIdx.x == 0) next = 0;
  __syncthreads();
  int slot = atomicAdd(&next, 1);
  out[slot] = threadIdx.x;  // slot
}

// safe: 3 of 3 pairs
__global__ void tickets_of_each_block_to_its_own_part(int *out) {
  __shared__ int next;
  if (threadIdx.x == 0) next = 0;
  __syncthreads();
  int slot = atomicAdd(&next, 1);
  if (slot >= 0 && slot < 1024) out[blockIdx.x * 1024 + slot] = threadIdx.x;
}

// race: write slot, write slot; global; warp block (data-dependent)
// race: atomic next, write reset; shared; warp block
// open: write slot, write slot; global; grid: it depends on values that the kernel computes: add()
__global__ void tickets_reset_without_a_barrier(int *out) {
  __shared__ int next;
  if (threadIdx.x == 0) next = 0;  // reset
  int slot = atomicAdd(&next, 1);  // next
  if (slot < 1024) out[blockIdx.x * 1024 + slot] = threadIdx.x;  // slot
}

// race: write slot, write slot; global; grid (data-dependent)
__global__ void tickets_reset_again_and_again(int *out, int n) {
  __shared__ int next;
  for (int r = 0; r < n; ++r) {
    if (threadIdx.x == 0) next = 0;
    __syncthreads();
    int slot = atomicAdd(&next, 1);
    out[slot] = threadIdx.x;  // slot
    __syncthreads();
  }
}

// safe: 5 of 5 pairs
__global__ void a_list_for_every_round(const int *in, int *out, int n) {
  __shared__ int next, list[1024];
  for (int r = 0; r < n; ++r) {
    if (threadIdx.x == 0) next = 0;
    __syncthreads();
    if (in[r * 1024 + threadIdx.x] > 0) {
      int slot = atomicAdd(&next, 1);
      list[slot] = threadIdx.x;
    }
    __syncthreads();
    if (blockIdx.x == 0) out[r * 1024 + threadIdx.x] = list[threadIdx.x];
  }
}

// race: atomic next, write reset; shared; warp block (data-dependent)
// race: write slot, write slot; shared; warp block (data-dependent)
__global__ void a_list_for_every_round_without_a_barrier_behind_it(const int *in, int n) {
  __shared__ int next, list[1024];
  for (int r = 0; r < n; ++r) {
    __syncthreads();
    if (threadIdx.x == 0) next = 0;  // reset
    if (in[r * 1024 + threadIdx.x] > 0) {
      int slot = atomicAdd(&next, 1);  // next
      list[slot] = threadIdx.x;  // slot
    }
  }
}

// race: write slot, write slot; shared; warp block (data-dependent)
__global__ void two_rounds_of_tickets_in_one_phase_of_the_list() {
  __shared__ int next, list[1024];
  if (threadIdx.x == 0) next = 0;
  __syncthreads();
  int one = atomicAdd(&next, 1);
  __syncthreads();
  if (threadIdx.x == 0) next = 0;
  __syncthreads();
  int two = atomicAdd(&next, 1);
  list[one + 512 * (int)(threadIdx.x < 0)] = 1;  // slot
  list[two] = 2;  // slot
}

// safe: 7 of 7 pairs
__global__ void two_rounds_of_tickets_in_two_phases() {
  __shared__ int next, list[1024];
  if (threadIdx.x == 0) next = 0;
  __syncthreads();
  list[atomicAdd(&next, 1)] = 1;
  __syncthreads();
  if (threadIdx.x == 0) atomicExch(&next, 0);
  __syncthreads();
  list[atomicAdd(&next, 1)] = 2;
}

// open: write slot, write slot; shared; warp block: it depends on values that the kernel computes: slot
__global__ void a_ticket_kept_for_behind_the_loop(int n) {
  __shared__ int next, list[1024];
  int slot = 0;
  for (int r = 0; r < n; ++r) {
    if (threadIdx.x == 0) next = 0;
    __syncthreads();
    if (threadIdx.x == r) slot = atomicAdd(&next, 1);
    __syncthreads();
  }
  list[slot] = threadIdx.x;  // slot
}

// safe: 8 of 8 pairs
__global__ void a_row_for_each_block_in_turn(int *rows, int *next, int n) {
  __shared__ int row;
  if (threadIdx.x == 0) row = atomicAdd(next, 1);
  __syncthreads();
  while (row < n) {
    if (threadIdx.x < 64) rows[row * 64 + threadIdx.x] = blockIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) row = atomicAdd(next, 1);
    __syncthreads();
  }
}

// open: write row, write row; global; grid: it depends on values that the kernel computes: row[]
__global__ void a_row_for_each_block_that_may_be_another_ones(int *rows, int *next, int n) {
  __shared__ int row;
  if (threadIdx.x == 0) row = atomicAdd(next, 1);
  __syncthreads();
  if (threadIdx.x == 0 && row > n) row = n;
  __syncthreads();
  if (threadIdx.x < 64) rows[row * 64 + threadIdx.x] = blockIdx.x;  // row
}

// race: write row, write row; global; grid (data-dependent)
__global__ void a_row_for_each_block_of_two_counters(int *rows, int *next, int n) {
  __shared__ int row;
  if (threadIdx.x == 0) row = atomicAdd(&next[blockIdx.x % 2], 1);
  __syncthreads();
  if (threadIdx.x < 64) rows[row * 64 + threadIdx.x] = blockIdx.x;  // row
}

// safe: 1 of 1 pairs
__global__ void a_row_for_each_warp_in_turn(int *rows, int *next, int n) {
  for (int r = 0; r < n; ++r) {
    int row;
    if (threadIdx.x % 32 == 0) row = atomicAdd(next, 1);
    row = __shfl_sync(0xffffffff, row, 0);
    rows[row * 32 + threadIdx.x % 32] = blockIdx.x;
  }
}

// race: write row, write row; global; block grid (data-dependent)
__global__ void a_row_too_small_for_each_warp_in_turn(int *rows, int *next, int n) {
  for (int r = 0; r < n; ++r) {
    int row;
    if (threadIdx.x % 32 == 0) row = atomicAdd(next, 1);
    row = __shfl_sync(0xffffffff, row, 0);
    rows[row * 16 + threadIdx.x % 32] = blockIdx.x;  // row
    __syncwarp();
  }
}

// race: write row, write row; global; warp (data-dependent)
__global__ void a_row_for_half_a_warp_by_another_name(int *rows, int *next) {
  int row;
  if (threadIdx.x % 16 == 0) row = atomicAdd(next, 1);
  row = __shfl_sync(0xffffffff, row, 0, 16);
  rows[row * 16 + threadIdx.x % 8] = threadIdx.x;  // row
}

// race: write slot, write slot; global; warp block grid (data-dependent)
__global__ void tickets_that_begin_again(int *out, unsigned *next, unsigned limit) {
  out[atomicInc(next, limit)] = threadIdx.x;  // slot
}

// safe: 1 of 1 pairs
__global__ void tickets_without_a_limit(int *out, unsigned *next) {
  out[atomicInc(next, ~0u)] = threadIdx.x;
}

// race: atomic narrow, atomic narrow; global; grid
// race: write slot, write slot; global; grid (data-dependent)
__global__ void tickets_of_block_scope(int *out, int *next) {
  int slot = atomicAdd_block(next, 1);  // narrow
  out[slot] = threadIdx.x;  // slot
}

// race: write bin, write bin; global; warp block grid (data-dependent)
__global__ void tickets_of_many_counters(int *out, int *next, const int *bin) {
  int slot = atomicAdd(&next[bin[blockIdx.x * blockDim.x + threadIdx.x]], 1);
  out[slot] = threadIdx.x;  // bin
}

// safe: 3 of 3 pairs
__global__ void exchange_of_ones_own(int *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicExch(&a[2 * i], 1);
  a[2 * i + 1] = 0;
  int v = atomicCAS(&a[2 * i], 1, 0);
}

// safe: 2 of 2 pairs
__global__ void the_first_error_beside_the_count(int *log) {
  if (atomicAdd(&log[0], 1) == 0) log[1] = threadIdx.x;
}

// race: atomic it, write it; global; warp block grid (data-dependent)
// race: write it, write it; global; warp block grid (unless place != 0)
__global__ void the_first_error_perhaps_over_the_count(int *log, int place) {
  if (atomicAdd(&log[0], 1) == 0) log[place * threadIdx.x] = threadIdx.x;  // it
}

// safe: 0 of 0 pairs
__global__ void scope_in_an_argument(int *sum) {
  __nv_atomic_fetch_add(sum, 1, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
}

// race: atomic count, atomic count; global; grid
__global__ void narrow_scope_in_an_argument(int *sum) {
  __nv_atomic_fetch_add(sum, 1, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_BLOCK);  // count
}

// open: a call of __nv_atomic_fetch_add, whose body is not known
__global__ void unknown_scope_in_an_argument(int *sum, int scope) {
  __nv_atomic_fetch_add(sum, 1, __NV_ATOMIC_RELAXED, scope);
}

// safe: 1 of 1 pairs
__global__ void won_by_one(int *turn, int *out) {
  if (__nv_atomic_exchange_n(turn, 1, __NV_ATOMIC_RELAXED) == 0) *out = threadIdx.x;
}

// race: write out, write out; global; warp block grid (data-dependent)
__global__ void won_by_several(int *turn, int *out) {
  if (__nv_atomic_load_n(turn, __NV_ATOMIC_RELAXED) == 0) *out = threadIdx.x + blockIdx.x;  // out
}

__device__ int given;

// safe: 2 of 2 pairs
__global__ void released_and_acquired(int *a) {
  if (blockIdx.x + threadIdx.x == 0) {
    a[0] = 1;
    __nv_atomic_store_n(&given, 1, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
  } else if (__nv_atomic_load_n(&given, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE) == 1) {
    int v = a[0];
  }
}

// race: read use, write data; global; warp block grid (data-dependent)
__global__ void released_and_not_acquired(int *a) {
  if (blockIdx.x + threadIdx.x == 0) {
    a[0] = 1;  // data
    __nv_atomic_store_n(&given, 1, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
  } else if (__nv_atomic_load_n(&given, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE) == 1) {
    int v = a[0];  // use
  }
}
"""

test_kernel = verdicts(SOURCE)
