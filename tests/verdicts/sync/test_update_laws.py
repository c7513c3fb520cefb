"""Claims by atomics of all kinds: of two that update one place, the later one finds what the earlier one has left."""

from tests.checking import verdicts

SOURCE = """
// safe: 1 of 1 pairs
__global__ void a_bit_for_each(const int *want, unsigned *mask, int *data) {
  int i = blockIdx.x * 64 + threadIdx.x, w = want[i] & 1023;
  unsigned bit = 1u << (w & 31);
  if ((atomicOr(&mask[w >> 5], bit) & bit) == 0) data[w] = i;
}

// race: write here, write here; global; warp block grid (data-dependent)
__global__ void a_bit_for_each_of_data_for_two(const int *want, unsigned *mask, int *data) {
  int i = blockIdx.x * 64 + threadIdx.x, w = want[i] & 1023;
  unsigned bit = 1u << (w & 31);
  if ((atomicOr(&mask[w >> 5], bit) & bit) == 0) data[w & ~16] = i;  // here
}

// race: write here, write here; global; warp block grid (unless distinct(want))
__global__ void a_bit_that_is_turned(const int *want, unsigned *mask, int *data) {
  int i = blockIdx.x * 64 + threadIdx.x, w = want[i];
  if ((atomicXor(&mask[w], 1u) & 1u) == 0) data[w] = i;  // here
}

// race: write here, write here; global; warp block grid (data-dependent)
__global__ void a_bit_that_others_clear(const int *want, unsigned *mask, int *data) {
  int i = blockIdx.x * 64 + threadIdx.x, w = want[i] & 1023;
  unsigned bit = 1u << (w & 31);
  if ((atomicOr(&mask[w >> 5], bit) & bit) == 0) data[w] = i;  // here
  if (i == 0) atomicAnd(&mask[0], 0u);
}

// safe: 1 of 1 pairs
__global__ void a_bit_to_clear(const int *want, unsigned *mask, int *data) {
  int i = blockIdx.x * 64 + threadIdx.x, w = want[i];
  if (atomicAnd(&mask[w], ~1u) & 1u) data[w] = i;
}

// safe: 1 of 1 pairs
__global__ void the_last_predecessor(const int *to, int *left, int *when) {
  int i = blockIdx.x * 64 + threadIdx.x, v = to[i];
  if (atomicSub(&left[v], 1) == 1) when[v] = i;
}

// safe: 1 of 1 pairs
__global__ void the_last_predecessor_by_adding(const int *to, unsigned *left, int *when) {
  int i = blockIdx.x * 64 + threadIdx.x, v = to[i];
  if (atomicAdd(&left[v], -1) == 1) when[v] = i;
}

// race: write here, write here; global; warp block grid (unless distinct(to))
__global__ void the_last_predecessors(const int *to, int *left, int *when) {
  int i = blockIdx.x * 64 + threadIdx.x, v = to[i];
  if (atomicSub(&left[v], 1) <= 2) when[v] = i;  // here
}

// race: write here, write here; global; warp block grid (unless distinct(to))
__global__ void a_predecessor_that_may_come_back(const int *to, int *left, int *when, int stays) {
  int i = blockIdx.x * 64 + threadIdx.x, v = to[i];
  if (atomicSub(&left[v], 1) == 1) when[v] = i;  // here
  if (i < stays) atomicAdd(&left[v], 1);
}

// safe: 1 of 1 pairs
__global__ void the_least_level(const int *to, int *level, int *parent, int now) {
  int i = blockIdx.x * 64 + threadIdx.x, v = to[i];
  if (atomicMin(&level[v], now) > now) parent[v] = i;
}

// race: write here, write here; global; warp block grid (unless distinct(to))
__global__ void the_least_level_again(const int *to, int *level, int *parent, int now) {
  int i = blockIdx.x * 64 + threadIdx.x, v = to[i];
  if (atomicMin(&level[v], now) >= now) parent[v] = i;  // here
}

// race: write here, write here; global; warp block grid (unless distinct(to))
__global__ void a_level_of_ones_own(const int *to, int *level, int *parent, int now) {
  int i = blockIdx.x * 64 + threadIdx.x, v = to[i];
  if (atomicMin(&level[v], now + i) > now + i) parent[v] = i;  // here
}

// race: write here, write here; global; warp block grid (unless distinct(to))
// race: atomic least, write reset; global; warp block grid (data-dependent)
__global__ void a_level_that_is_reset(const int *to, int *level, int *parent, int now) {
  int i = blockIdx.x * 64 + threadIdx.x, v = to[i];
  if (atomicMin(&level[v], now) > now)  // least
    parent[v] = i;  // here
  if (i == 5) level[i] = now + 9;  // reset
}

// safe: 1 of 1 pairs
__global__ void the_greatest_level(const int *to, unsigned *level, int *parent, unsigned now) {
  int i = blockIdx.x * 64 + threadIdx.x, v = to[i];
  if (atomicMax(&level[v], now) < now) parent[v] = i;
}

// race: write here, write here; global; warp block grid (unless distinct(to))
__global__ void the_greatest_of_one_and_the_least_of_another(const int *to, int *level, int *parent, int now) {
  int i = blockIdx.x * 64 + threadIdx.x, v = to[i];
  if (atomicMax(&level[v], now) < now) parent[v] = i;  // here
  atomicMin(&level[v], 0);
}

// race: write here, write here; global; warp block grid (unless distinct(to))
__global__ void the_greatest_in_two_types(const int *to, int *level, int *parent, int now) {
  int i = blockIdx.x * 64 + threadIdx.x, v = to[i];
  if (atomicMax(&level[v], now) < now) parent[v] = i;  // here
  atomicMax((unsigned *)&level[v], 0x80000000u);
}

// safe: 1 of 1 pairs
__global__ void marked_in_a_round(const int *to, int *mark, int *parent, int round) {
  int i = blockIdx.x * 64 + threadIdx.x, v = to[i];
  if (atomicExch(&mark[v], round) != round) parent[v] = i;
}

// race: write here, write here; global; warp block grid (unless distinct(to))
__global__ void marked_by_each(const int *to, int *mark, int *parent) {
  int i = blockIdx.x * 64 + threadIdx.x, v = to[i];
  if (atomicExch(&mark[v], i) != i) parent[v] = i;  // here
}

// race: write here, write here; global; warp block grid (unless distinct(to))
__global__ void marked_in_a_round_of_ones_own(const int *to, int *mark, int *parent, int rounds) {
  int i = blockIdx.x * 64 + threadIdx.x, v = to[i];
  for (int round = 0; round < rounds; round++)
    if (atomicExch(&mark[v], round) != round) parent[v] = i;  // here
}

// race: write here, write here; global; warp block grid (unless distinct(to))
__global__ void marked_in_two_rounds(const int *to, int *mark, int *parent, int round) {
  int i = blockIdx.x * 64 + threadIdx.x, v = to[i];
  if (atomicExch(&mark[v], round) != round) parent[v] = i;  // here
  atomicExch(&mark[v], round + 1);
}

// safe: 1 of 1 pairs
__global__ void marked_with_ones_number(const int *want, int *own, int *data) {
  int i = blockIdx.x * 64 + threadIdx.x, w = want[i];
  int old = atomicCAS(&own[w], 0, i + 1);
  if (old == 0 || old == i + 1) data[w] = i;
}

// race: write here, write here; global; warp block (unless distinct(want))
__global__ void marked_with_the_number_of_the_block(const int *want, int *own, int *data) {
  int i = blockIdx.x * 64 + threadIdx.x, w = want[i], me = blockIdx.x + 1;
  int old = atomicCAS(&own[w], 0, me);
  if (old == 0 || old == me) data[w] = i;  // here
}

// race: write here, write here; global; warp block grid (unless distinct(want))
__global__ void marked_with_what_may_be_no_mark(const int *want, int *own, int *data) {
  int i = blockIdx.x * 64 + threadIdx.x, w = want[i];
  int old = atomicCAS(&own[w], 0, i);
  if (old == 0 || old == i) data[w] = i;  // here
}

// race: write here, write here; global; warp block grid (unless distinct(want))
__global__ void marked_and_given_back(const int *want, int *own, int *data, int *done) {
  int i = blockIdx.x * 64 + threadIdx.x, w = want[i];
  int old = atomicCAS(&own[w], 0, i + 1);
  if (old == 0 || old == i + 1) data[w] = i;  // here
  atomicExch(&own[w], 0);
}

// safe: 3 of 3 pairs
__global__ void for_each_round_anew(const int *want, int *data, int rounds) {
  __shared__ int least[64];
  for (int r = 0; r < rounds; r++) {
    int w = want[r * 64 + threadIdx.x];
    least[threadIdx.x] = 100;
    __syncthreads();
    if (w >= 0 && w < 64 && atomicMin(&least[w], 7) > 7) data[(r * gridDim.x + blockIdx.x) * 64 + w] = threadIdx.x;
    __syncthreads();
  }
}

// race: atomic least, write anew; shared; warp block (data-dependent)
// race: write here, write here; global; warp block (unless distinct(want))
__global__ void for_each_round_anew_without_a_barrier(const int *want, int *data, int rounds) {
  __shared__ int least[64];
  for (int r = 0; r < rounds; r++) {
    int w = want[r * 64 + threadIdx.x];
    least[threadIdx.x] = 100;  // anew
    if (w >= 0 && w < 64 && atomicMin(&least[w], 7) > 7)  // least
      data[(r * gridDim.x + blockIdx.x) * 64 + w] = threadIdx.x;  // here
  }
}

// race: write here, write here; global; grid (data-dependent)
__global__ void of_each_block(const int *want, int *data) {
  __shared__ unsigned mask[32];
  int w = want[blockIdx.x * 64 + threadIdx.x] & 31;
  if ((atomicOr(&mask[w], 1u) & 1u) == 0) data[w] = threadIdx.x;  // here
}

// race: atomic count, atomic count; global; grid (data-dependent)
// race: write here, write here; global; grid (unless distinct(to))
__global__ void within_a_block(const int *to, int *level, int *parent, int now) {
  int i = blockIdx.x * 64 + threadIdx.x, v = to[i];
  if (atomicMin_block(&level[v], now) > now)  // count
    parent[v] = i;  // here
}
"""

test_kernel = verdicts(SOURCE, block_dim=(64, 1, 1), grid_dim=(16, 1, 1))
