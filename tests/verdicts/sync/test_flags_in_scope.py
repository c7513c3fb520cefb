"""A flag that is set at the scope of a block, and that other blocks take up as well."""

from tests.checking import verdicts

SOURCE = """
#include <cuda/atomic>
// safe: 5 of 5 pairs
__global__ void waiters_of_its_block(int *data, int *flags, int *out) {
  if (threadIdx.x == 0) {
    data[blockIdx.x] = 1;
    __threadfence();
    atomicExch_block(&flags[blockIdx.x], 1);
  }
  if (threadIdx.x == 1) {
    while (atomicAdd(&flags[blockIdx.x], 0) != 1) {}
    __threadfence();
    out[blockIdx.x] = data[blockIdx.x];
  }
}

// race: atomic put, atomic take; global; grid (data-dependent)
// race: read get, write set; global; warp
__global__ void waiters_of_all_blocks(int *data, int *flag, int *out) {
  if (threadIdx.x == 0 && blockIdx.x == 0) {
    *data = 1;  // set
    __threadfence();
    atomicExch_block(flag, 1);  // put
  }
  if (threadIdx.x == 1) {
    while (atomicAdd(flag, 0) != 1) {}  // take
    __threadfence();
    if (blockIdx.x == 0) *out = *data;  // get
  }
}

// safe: 3 of 3 pairs
__global__ void waiters_of_all_blocks_at_the_scope_of_the_device(int *data, int *flag, int *out) {
  if (threadIdx.x == 0 && blockIdx.x == 0) {
    *data = 1;
    __threadfence();
    atomicExch(flag, 1);
  }
  if (threadIdx.x == 1) {
    while (atomicAdd(flag, 0) != 1) {}
    __threadfence();
    if (blockIdx.x == 0) *out = *data;
  }
}

// race: atomic look, atomic put; global; grid (data-dependent)
__global__ void others_only_look(int *data, int *flag, int *out) {
  if (threadIdx.x == 0 && blockIdx.x == 0) {
    *data = 1;
    __threadfence();
    atomicExch_block(flag, 1);  // put
  }
  if (threadIdx.x == 1) {
    if (blockIdx.x == 0) {
      while (atomicAdd(flag, 0) != 1) {}
    } else {
      while (cuda::atomic_ref<int, cuda::thread_scope_device>(*flag).load() != 1) {}  // look
    }
    __threadfence();
    if (blockIdx.x == 0) *out = *data;
  }
}
"""

test_kernel = verdicts(SOURCE)
