"""Contents of memory that a race may suppose: those of the input and copies of it, not computed ones."""

from tests.checking import verdicts

SOURCE = """
// race: write slot, write slot; global; warp block (unless distinct(in))
__global__ void at_input(int *out, int *in) {
  out[in[threadIdx.x]] = threadIdx.x;  // slot
}

// race: write slot, write slot; global; warp block (data-dependent)
__global__ void at_a_copy(int *out, int *in) {
  __shared__ int copy[1024];
  copy[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[copy[threadIdx.x]] = threadIdx.x;  // slot
}

// open: write slot, write slot; global; warp block: it depends on values that the kernel computes: made[]
__global__ void at_what_it_made(int *out, int *in) {
  __shared__ int made[1024];
  made[threadIdx.x] = in[threadIdx.x] + 1;
  __syncthreads();
  out[made[threadIdx.x]] = threadIdx.x;  // slot
}

// open: write slot, write slot; global; warp block: it depends on values that the kernel computes: rank
__global__ void at_a_rank(int *out, int *in, int n) {
  int rank = 0;
  for (int i = 0; i < n; i++)
    if (in[i] < in[threadIdx.x]) rank++;
  out[rank] = threadIdx.x;  // slot
}

// race: write slot, write slot; global; warp block (data-dependent)
__global__ void at_input_for_a_rank(int *out, int *in, int *place, int n) {
  int rank = 0;
  for (int i = 0; i < n; i++)
    if (in[i] < in[threadIdx.x]) rank++;
  out[place[rank]] = threadIdx.x;  // slot
}

// race: write slot, write slot; global; warp block (data-dependent)
__global__ void at_the_end_of_a_chain(int *out, int *next, int n) {
  int at = threadIdx.x;
  for (int i = 0; i < n; i++) at = next[at];
  out[at] = threadIdx.x;  // slot
}

// race: read second, write first; shared; warp (unless lengths[0] > 0)
__global__ void one_behind_the_other(int *lengths, int *out) {
  extern __shared__ int first[];
  int *second = first + lengths[0];
  if (threadIdx.x == 1) first[0] = out[1];  // first
  if (threadIdx.x == 0) out[0] = second[0];  // second
}

// race: read third, write first; shared; warp (unless lengths[0] > 0 && lengths[1] > 0)
__global__ void third_in_a_row(int *lengths, int *out) {
  extern __shared__ int first[];
  int *third = first + lengths[0] + lengths[1];
  if (threadIdx.x == 1) first[0] = out[1];  // first
  if (threadIdx.x == 0) out[0] = third[0];  // third
}

// race: read second, write first; shared; warp (data-dependent)
__global__ void one_that_reaches_into_the_other(int *lengths, int *out) {
  extern __shared__ int first[];
  int *second = first + lengths[0];
  if (threadIdx.x == 1) first[7] = out[1];  // first
  if (threadIdx.x == 0) out[0] = second[0];  // second
}

// open: write own, write own; global; block: it depends on values that the kernel computes: count[]
__global__ void as_far_as_it_counted(int *out, int *in) {
  __shared__ int count;
  if (threadIdx.x == 0) count = in[0] * in[1];
  __syncthreads();
  for (int i = threadIdx.x % 32; i < count; i += 32) out[threadIdx.x / 32 * 640 + i] = threadIdx.x;  // own
}

// race: write own, write own; global; block (data-dependent)
__global__ void as_far_as_it_is_told(int *out, int *in) {
  for (int i = threadIdx.x % 32; i < in[0]; i += 32) out[threadIdx.x / 32 * 640 + i] = threadIdx.x;  // own
}

// race: write slot, write slot; global; warp block (data-dependent)
__global__ void all_as_often_as_it_counted(int *out, int *in) {
  __shared__ int count;
  if (threadIdx.x == 0) count = in[0] * in[1];
  __syncthreads();
  for (int i = 0; i < count; i++) out[i] = threadIdx.x;  // slot
}

// race: write slot, write slot; global; warp block (data-dependent)
__global__ void all_at_one_place_that_it_made(int *out, int *in) {
  __shared__ int base;
  if (threadIdx.x == 0) base = 4 * in[0];
  __syncthreads();
  out[base] = threadIdx.x;  // slot
}

// race: atomic add, read slot; global; warp block (data-dependent)
// open: write slot, write slot; global; warp block: it depends on values that the kernel computes: ends[]
__global__ void where_all_together_have_come_to(int *out, int *ends, int *left, int *group) {
  int g = group[threadIdx.x];
  atomicAdd(&ends[g], 5);  // add
  if (atomicSub(&left[g], 1) == 1) out[ends[g]] = threadIdx.x;  // slot
}

// race: write slot, write slot; global; warp block (unless distinct(ends))
__global__ void where_it_is_told(int *out, int *ends, int *left, int *group) {
  if (atomicSub(&left[group[threadIdx.x]], 1) == 1) out[ends[threadIdx.x]] = threadIdx.x;  // slot
}

// open: write slot, write slot; global; block: it depends on values that the kernel computes: add()
__global__ void a_part_for_each_warp(int *out, int *counts) {
  int warp = threadIdx.x / 32;
  int slot = atomicAdd(&counts[warp], 1);
  out[warp * 4096 + slot] = threadIdx.x;  // slot
}

// race: write slot, write slot; global; block (data-dependent)
__global__ void a_small_part_for_each_warp(int *out, int *counts) {
  int warp = threadIdx.x / 32;
  int slot = atomicAdd(&counts[warp], 1);
  out[warp * 32 + slot] = threadIdx.x;  // slot
}

// race: write slot, write slot; global; block (data-dependent)
__global__ void a_place_that_each_warp_counts(int *out, int *counts) {
  int slot = atomicAdd(&counts[threadIdx.x / 32], 1);
  out[slot] = threadIdx.x;  // slot
}

// race: write slot, write slot; global; warp block (data-dependent)
__global__ void a_ring(int *out, int *count) {
  int slot = atomicAdd(count, 1);
  out[slot % 512] = threadIdx.x;  // slot
}

// safe: 1 of 1 pairs
__global__ void a_ring_with_a_place_for_each_thread(int *out, int *count) {
  int slot = atomicAdd(count, 1);
  out[slot % 1024] = threadIdx.x;
}

// open: write slot, write slot; global; warp block: it depends on values that the kernel computes: add()
__global__ void counted_from_what_it_made(int *out, const int *in, const int *bin) {
  __shared__ int begin[64];
  if (threadIdx.x < 64) begin[threadIdx.x] = in[threadIdx.x] * in[threadIdx.x];
  __syncthreads();
  int slot = atomicAdd(&begin[bin[threadIdx.x] & 63], 1);
  out[slot] = threadIdx.x;  // slot
}

// race: write slot, write slot; global; warp block (data-dependent)
__global__ void counted_from_input(int *out, const int *in, const int *bin) {
  __shared__ int begin[64];
  if (threadIdx.x < 64) begin[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  int slot = atomicAdd(&begin[bin[threadIdx.x] & 63], 1);
  out[slot] = threadIdx.x;  // slot
}

// race: write slot, write slot; global; warp block (data-dependent)
__global__ void counted_from_nothing(int *out, const int *bin) {
  __shared__ int begin[64];
  if (threadIdx.x < 64) begin[threadIdx.x] = 0;
  __syncthreads();
  int slot = atomicAdd(&begin[bin[threadIdx.x] & 63], 1);
  out[slot] = threadIdx.x;  // slot
}

// race: write slot, write slot; global; warp block (data-dependent)
__global__ void all_from_one_that_it_made(int *out, const int *in) {
  __shared__ int begin;
  if (threadIdx.x == 0) begin = in[0] * in[1];
  __syncthreads();
  int slot = atomicAdd(&begin, 1);
  out[slot / 2] = threadIdx.x;  // slot
}

// open: write place, write place; global; warp block: it depends on whether what the kernel computes is sorted: sum
__global__ void the_bucket_of_the_kth(int *place, const int *in, int k) {
  __shared__ int sum[64];
  int t = threadIdx.x;
  if (t < 64) sum[t] = in[t] * in[t];
  __syncthreads();
  if (t < 64) {
    int before = t == 0 ? 0 : sum[t - 1];
    if (before < k && k <= sum[t]) place[0] = t;  // place
  }
}

// race: write place, write place; global; warp block (data-dependent)
__global__ void the_buckets_that_hold_k(int *place, const int *in, int k) {
  __shared__ int sum[64];
  int t = threadIdx.x;
  if (t < 64) sum[t] = in[t] * in[t];
  __syncthreads();
  if (t < 64) {
    int before = t == 0 ? 0 : sum[t - 1];
    if (before <= k && k <= sum[t]) place[0] = t;  // place
  }
}

// open: write here, write here; global; warp block: it depends on values that are not known: __fns()
__global__ void where_a_function_of_the_thread_leads(int *a) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  a[__fns(t, 0, 1) / 2] = t;  // here
}

// race: write here, write here; global; warp block (data-dependent)
__global__ void where_a_function_of_data_leads(int *a, const int *x) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  a[__fns(x[t], 0, 1) / 2] = t;  // here
}

// race: write here, write here; global; warp (data-dependent)
__global__ void a_function_that_is_the_same_for_both(int *a, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  a[t / 2 + __fns(n, 0, 1)] = t;  // here
}
"""

test_kernel = verdicts(SOURCE, grid_dim=(1, 1, 1))


BLOCKS_OF_256 = """
// open: write slot, write slot; global; block: it depends on values that the kernel computes: add()
__global__ void as_many_as_there_are(int *out) {
  __shared__ int counts[8];
  if (threadIdx.x < 8) counts[threadIdx.x] = 0;
  __syncthreads();
  int warp = threadIdx.x / 32;
  int slot = atomicAdd(&counts[warp], 1);
  out[warp * 512 + slot] = threadIdx.x;  // slot
}

// race: write slot, write slot; global; block (data-dependent)
__global__ void two_for_each(int *out) {
  __shared__ int counts[8];
  if (threadIdx.x < 8) counts[threadIdx.x] = 0;
  __syncthreads();
  int warp = threadIdx.x / 32;
  int slot = atomicAdd(&counts[warp], 2);
  out[warp * 512 + slot] = threadIdx.x;  // slot
}
"""

test_counters_of_a_block = verdicts(BLOCKS_OF_256, grid_dim=(1, 1, 1), block_dim=(256, 1, 1))
