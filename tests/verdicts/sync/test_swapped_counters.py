"""Counters and lists that rounds swap: which counter a thread draws from decides which list it writes."""

from tests.checking import verdicts

SOURCE = """
// safe: 2 of 2 pairs
__global__ void a_counter_for_each_list(int *a, int *b, int *in_a, int *in_b, int round) {
  int *list = round % 2 == 0 ? a : b;
  int *count = round % 2 == 0 ? in_a : in_b;
  list[atomicAdd(count, 1)] = threadIdx.x;
}

// race: write slot, write slot; global; warp block grid (data-dependent)
__global__ void two_counters_for_one_list(int *list, int *in_a, int *in_b) {
  int *count = threadIdx.x % 2 == 0 ? in_a : in_b;
  list[atomicAdd(count, 1)] = threadIdx.x;  // slot
}

// safe: 2 of 2 pairs
__global__ void threads_choose_list_and_counter(int *a, int *b, int *in_a, int *in_b) {
  int *list = threadIdx.x % 2 == 0 ? a : b;
  int *count = threadIdx.x % 2 == 0 ? in_a : in_b;
  list[atomicAdd(count, 1)] = threadIdx.x;
}

// race: write slot, write slot; global; warp block grid (data-dependent)
__global__ void threads_choose_list_and_counter_apart(int *a, int *b, int *in_a, int *in_b) {
  int *list = threadIdx.x % 3 == 0 ? a : b;
  int *count = threadIdx.x % 2 == 0 ? in_a : in_b;
  list[atomicAdd(count, 1)] = threadIdx.x;  // slot
}
"""

test_kernel = verdicts(SOURCE, block_dim=(64, 1, 1), grid_dim=(16, 1, 1))
