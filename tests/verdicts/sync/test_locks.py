"""Locks made of atomics, and the mistakes people make with them."""

from pathlib import Path

import pytest

from hgrd.findings.model import Report
from tests.checking import cases, check, expected, observed, verdicts

SOURCE = """
__device__ int lock = 0;
__device__ int second = 0;
__device__ int locks[64];
__device__ volatile int turn = 0;

// safe: 2 of 2 pairs
__global__ void spinning(int *sum, int n) {
  while (atomicCAS(&lock, 0, 1) != 0) {}
  __threadfence();
  *sum += n;
  __threadfence();
  atomicExch(&lock, 0);
}

// safe: 2 of 2 pairs
__global__ void trying(int *sum, int n) {
  bool done = false;
  do {
    if (atomicCAS(&lock, 0, 1) == 0) {
      __threadfence();
      *sum += n;
      __threadfence();
      atomicExch(&lock, 0);
      done = true;
    }
  } while (!done);
}

// safe: 2 of 2 pairs
__global__ void exchanging(int *sum, int n) {
  while (atomicExch(&lock, 1) != 0) {}
  __threadfence();
  *sum += n;
  __threadfence();
  atomicExch(&lock, 0);
}

// safe: 2 of 2 pairs
__global__ void leaving_by_break(int *sum, int n) {
  while (true) {
    if (atomicCAS(&lock, 0, 1) == 0) break;
  }
  __threadfence();
  *sum += n;
  __threadfence();
  atomicExch(&lock, 0);
}

__device__ void take(int *l) {
  while (atomicCAS(l, 0, 1)) {}
  __threadfence();
}
__device__ void give(int *l) {
  __threadfence();
  atomicExch(l, 0);
}

// safe: 2 of 2 pairs
__global__ void in_functions(int *sum, int n) {
  take(&lock);
  *sum += n;
  give(&lock);
}

// safe: 2 of 2 pairs
__global__ void one_lock_for_many_places(int *table, const int *keys) {
  int k = keys[blockIdx.x * blockDim.x + threadIdx.x];
  take(&locks[(unsigned)k % 64]);
  table[(unsigned)k] += 1;
  give(&locks[(unsigned)k % 64]);
}

// race: read place, write place; global; warp block grid (data-dependent)
// race: write place, write place; global; warp block grid (data-dependent)
__global__ void a_lock_that_does_not_fit(int *table, const int *keys) {
  int k = keys[blockIdx.x * blockDim.x + threadIdx.x];
  take(&locks[(unsigned)k % 64]);
  table[(unsigned)k / 2] += 1;  // place
  give(&locks[(unsigned)k % 64]);
}

// race: read sum, write sum; global; warp block grid
// race: write sum, write sum; global; warp block grid
__global__ void no_fence_after_taking(int *sum, int n) {
  while (atomicCAS(&lock, 0, 1) != 0) {}
  *sum += n;  // sum
  __threadfence();
  atomicExch(&lock, 0);
}

// race: read sum, write sum; global; warp block grid
// race: write sum, write sum; global; warp block grid
__global__ void no_fence_before_giving(int *sum, int n) {
  while (atomicCAS(&lock, 0, 1) != 0) {}
  __threadfence();
  *sum += n;  // sum
  atomicExch(&lock, 0);
}

// race: read sum, write sum; global; grid
// race: write sum, write sum; global; grid
__global__ void fence_of_the_block(int *sum, int n) {
  while (atomicCAS(&lock, 0, 1) != 0) {}
  __threadfence_block();
  *sum += n;  // sum
  __threadfence();
  atomicExch(&lock, 0);
}

// race: atomic give, atomic give; global; grid
// race: atomic give, atomic take; global; grid (data-dependent)
// race: atomic take, atomic take; global; grid (data-dependent)
// race: read sum, write sum; global; warp block grid
// race: write sum, write sum; global; warp block grid
__global__ void lock_of_the_block(int *sum, int n) {
  while (atomicCAS_block(&lock, 0, 1) != 0) {}  // take
  __threadfence();
  *sum += n;  // sum
  __threadfence();
  atomicExch_block(&lock, 0);  // give
}

// Other blocks take the lock of this one away, but each has its own.
// safe: 5 of 5 pairs
__global__ void a_lock_for_each_block(int *sums) {
  while (atomicCAS_block(&locks[blockIdx.x], 0, 1) != 0) {}
  __threadfence_block();
  sums[blockIdx.x] += 1;
  __threadfence_block();
  atomicExch_block(&locks[blockIdx.x], 0);
}

// note: write give, write give; global; warp block grid
// race: atomic take, write give; global; warp block grid (data-dependent)
// race: read sum, write sum; global; warp block grid
// race: write sum, write sum; global; warp block grid
__global__ void given_back_by_a_store(int *sum) {
  while (atomicCAS(&lock, 0, 1) != 0) {}  // take
  __threadfence_block();
  *sum += 1;  // sum
  __threadfence();
  *(volatile int *)&lock = 0;  // give
}

// race: write first, write first; global; warp block grid
// race: write first, write second; global; warp block grid
__global__ void a_fence_only_the_second_time(int *a) {
  while (atomicCAS(&lock, 0, 1) != 0) {}
  __threadfence();
  a[0] = threadIdx.x;  // first
  atomicExch(&lock, 0);
  while (atomicCAS(&lock, 0, 1) != 0) {}
  __threadfence();
  a[0] = threadIdx.x;  // second
  __threadfence();
  atomicExch(&lock, 0);
}

// safe: 3 of 3 pairs
__global__ void a_fence_each_time(int *a) {
  while (atomicCAS(&lock, 0, 1) != 0) {}
  __threadfence();
  a[0] = threadIdx.x;
  __threadfence();
  atomicExch(&lock, 0);
  while (atomicCAS(&lock, 0, 1) != 0) {}
  __threadfence();
  a[0] = threadIdx.x;
  __threadfence();
  atomicExch(&lock, 0);
}

// safe: 2 of 2 pairs
__global__ void given_back_by_subtraction(int *sum) {
  while (atomicCAS(&lock, 0, 1) != 0) {}
  __threadfence();
  *sum += 1;
  __threadfence();
  atomicSub(&lock, 1);
}

// safe: 2 of 2 pairs
__global__ void given_back_by_an_exchange(int *sum) {
  while (atomicExch(&lock, 1) != 0) {}
  __threadfence();
  *sum += 1;
  __threadfence();
  atomicCAS(&lock, 1, 0);
}

// note: write given, write given; global; warp block grid
// race: atomic take, write given; global; warp block grid (data-dependent)
__global__ void one_of_two_given_back(int *sum, int n) {
  while (atomicCAS(&locks[n & 1], 0, 1) != 0) {}  // take
  __threadfence();
  *sum += 1;
  __threadfence();
  *(volatile int *)&locks[0] = 0;  // given
}

// safe: 2 of 2 pairs
__global__ void taken_is_zero(int *sum) {
  while (atomicCAS(&locks[1], 1, 0) != 1) {}
  __threadfence();
  *sum += 1;  // sum
  __threadfence();
  atomicExch(&locks[1], 1);
}

// safe: 2 of 2 pairs
__global__ void exchanged_for_zero(int *sum) {
  while (atomicExch(&locks[2], 0) == 0) {}
  __threadfence();
  *sum += 1;  // sum
  __threadfence();
  atomicExch(&locks[2], 1);
}

// race: read sum, write sum; global; warp block grid
// race: write sum, write sum; global; warp block grid
__global__ void exchanged_for_zero_without_a_test(int *sum) {
  int found = atomicExch(&locks[2], 0);
  __threadfence();
  *sum += found;  // sum
  __threadfence();
  atomicExch(&locks[2], 1);
}

// race: read sum, write sum; global; warp block grid
// race: write sum, write sum; global; warp block grid
__global__ void taken_is_zero_but_given_back_before(int *sum) {
  while (atomicCAS(&locks[1], 1, 0) != 1) {}
  __threadfence();
  atomicExch(&locks[1], 1);
  *sum += 1;  // sum
}

// race: read sum, write sum; global; warp block grid
// race: write sum, write sum; global; warp block grid
__global__ void one_given_back_before(int *sum, int n) {
  while (atomicCAS(&locks[n & 1], 0, 1) != 0) {}
  __threadfence();
  atomicExch(&locks[0], 0);
  *sum += 1;  // sum
}

// race: read sum, write sum; global; warp block grid
// race: write sum, write sum; global; warp block grid
__global__ void given_back_too_low(int *sum) {
  while (atomicCAS(&lock, 0, 1) != 0) {}
  __threadfence();
  *sum += 1;  // sum
  __threadfence();
  atomicSub(&lock, 2);
}

// race: read late, write late; global; warp block grid
// race: read sum, write late; global; warp block grid
// race: read late, write sum; global; warp block grid
// race: write late, write sum; global; warp block grid
// race: write late, write late; global; warp block grid
__global__ void behind_the_lock(int *sum, int n) {
  take(&lock);
  *sum += n;  // sum
  give(&lock);
  *sum += n;  // late
}

// race: read one, write other; global; warp block grid
// race: read other, write one; global; warp block grid
// race: write one, write other; global; warp block grid
__global__ void two_locks(int *sum, int n) {
  if (n > 0 && threadIdx.x % 2) {
    take(&lock);
    *sum += n;  // one
    give(&lock);
  } else {
    take(&second);
    *sum += n;  // other
    give(&second);
  }
}

// note: write clear, write clear; global; warp block grid
// race: atomic give, write clear; global; warp block grid
// race: atomic take, write clear; global; warp block grid (data-dependent)
// race: read sum, write sum; global; warp block grid
// race: write sum, write sum; global; warp block grid
__global__ void lock_cleared_by_a_plain_write(int *sum, int n) {
  lock = n;  // clear
  while (atomicCAS(&lock, 0, 1) != 0) {}  // take
  __threadfence();
  *sum += n;  // sum
  __threadfence();
  atomicExch(&lock, 0);  // give
}

// race: read sum, write sum; global; warp block grid
// race: write sum, write sum; global; warp block grid
__global__ void given_back_without_having_it(int *sum, int n) {
  take(&lock);
  *sum += n;  // sum
  give(&lock);
  if (n == 3) atomicExch(&lock, 0);
}

// safe: 2 of 2 pairs
__global__ void given_back_for_some_data(int *sum, const int *in, int n) {
  take(&lock);
  *sum += n;
  __threadfence();
  if (in[threadIdx.x] > 0) atomicExch(&lock, 0);
}

// safe: 2 of 2 pairs
__global__ void never_given_back(int *sum, int n) {
  if (atomicCAS(&lock, 0, 1) == 0) {
    __threadfence();
    *sum += n;
  }
}

// race: read sum, write sum; global; warp block grid (data-dependent)
// race: write sum, write sum; global; warp block grid (data-dependent)
__global__ void given_back_for_some_data_without_a_fence(int *sum, const int *in, int n) {
  take(&lock);
  *sum += n;  // sum
  if (in[threadIdx.x] > 0) atomicExch(&lock, 0);
}

// race: read sum, write sum; global; warp block grid
// race: write sum, write sum; global; warp block grid
__global__ void given_back_before_for_some_data(int *sum, const int *in, int n) {
  take(&lock);
  if (in[threadIdx.x] > 0) give(&lock);
  *sum += n;  // sum
  if (in[threadIdx.x] <= 0) give(&lock);
}

// race: read sum, write sum; global; warp block grid (data-dependent)
// race: write sum, write sum; global; warp block grid (data-dependent)
__global__ void given_back_by_one_who_never_had_it(int *sum, int n) {
  if (threadIdx.x == n) atomicExch(&lock, 0);
  if (atomicCAS(&lock, 0, 1) == 0) {
    __threadfence();
    *sum += n;  // sum
  }
}

// safe: 5 of 5 pairs
__global__ void shared_lock_made_ready(int *sums, int n) {
  __shared__ int own;
  if (threadIdx.x == 0) own = 0;
  __syncthreads();
  while (atomicCAS(&own, 0, 1) != 0) {}
  __threadfence_block();
  sums[blockIdx.x] += n;
  __threadfence_block();
  atomicExch(&own, 0);
}

// race: read sum, write sum; global; grid
// race: write sum, write sum; global; grid
__global__ void shared_lock_for_all_blocks(int *sum, int n) {
  __shared__ int own;
  if (threadIdx.x == 0) own = 0;
  __syncthreads();
  while (atomicCAS(&own, 0, 1) != 0) {}
  __threadfence();
  *sum += n;  // sum
  __threadfence();
  atomicExch(&own, 0);
}

// safe: 3 of 3 pairs
__global__ void each_block_waits_for_the_one_before(volatile int *begin, int *out) {
  if (threadIdx.x == 0) {
    int own = 0;
    if (blockIdx.x > 0) {
      do {
        own = begin[blockIdx.x];
      } while (own < 0);
    }
    begin[blockIdx.x + 1] = own + 5;
    out[blockIdx.x] = own;
  }
}

// race: read look, write hand; global; grid
__global__ void each_block_looks_so_often(volatile int *begin, int *out, int n) {
  if (threadIdx.x == 0) {
    int own = 0, k = 0;
    do {
      own = begin[blockIdx.x];  // look
      k++;
    } while (k < n);
    begin[blockIdx.x + 1] = own + 5;  // hand
    out[blockIdx.x] = own;
  }
}

// open: write place, write place; global; warp block grid: it depends on values that the kernel computes: count[]
__global__ void threads_read_different_values_in_turn(int *out) {
  __shared__ int own, count;
  if (threadIdx.x == 0) own = count = 0;
  __syncthreads();
  take(&own);
  int mine = count;
  count = mine + 1;
  give(&own);
  out[blockIdx.x * 2 * blockDim.x + threadIdx.x + mine] = threadIdx.x;  // place
}

// race: read sum, write sum; global; warp block grid
// race: write sum, write sum; global; warp block grid
__global__ void taken_before_a_loop_that_gives_it_back(int *sum, int n) {
  take(&lock);
  for (int i = 0; i < n; ++i) {
    *sum += i;  // sum
    give(&lock);
  }
}
"""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    return check(tmp_path_factory.mktemp("locks"), SOURCE)


@pytest.mark.parametrize("kernel", cases(SOURCE))
def test_verdict(kernel: str, report: Report):
    assert observed(report, SOURCE)[kernel] == expected(SOURCE)[kernel]


FLAGS = """
__device__ int flag = 0;
__device__ volatile int ready = 0;
__device__ int done[1024];

// safe: 3 of 3 pairs
__global__ void waiting(int *data, int *out) {
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    *data = 7;
    __threadfence();
    atomicExch(&flag, 1);
  } else if (blockIdx.x == 1 && threadIdx.x == 0) {
    while (atomicAdd(&flag, 0) != 1) {}
    __threadfence();
    *out = *data;
  }
}

// open: read data2, write data; global; grid: a wait for flag, set in line 25, may order them
__global__ void set_once_in_each_round(int *data, int *out) {
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    *data = 7;  // data
    for (int k = 0; k < 2; k++) {
      __threadfence();
      atomicExch(&flag, 1);
    }
  } else if (blockIdx.x == 1 && threadIdx.x == 0) {
    while (atomicAdd(&flag, 0) != 1) {}
    __threadfence();
    *out = *data;  // data2
  }
}

// race: read data2, write data; global; grid
__global__ void no_fence_before_the_flag(int *data, int *out) {
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    *data = 7;  // data
    atomicExch(&flag, 1);
  } else if (blockIdx.x == 1 && threadIdx.x == 0) {
    while (atomicAdd(&flag, 0) != 1) {}
    __threadfence();
    *out = *data;  // data2
  }
}

// race: read data2, write data; global; grid
__global__ void no_fence_after_the_wait(int *data, int *out) {
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    *data = 7;  // data
    __threadfence();
    atomicExch(&flag, 1);
  } else if (blockIdx.x == 1 && threadIdx.x == 0) {
    while (atomicAdd(&flag, 0) != 1) {}
    *out = *data;  // data2
  }
}

// race: read data2, write data; global; grid
__global__ void flag_before_the_data(int *data, int *out) {
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    __threadfence();
    atomicExch(&flag, 1);
    *data = 7;  // data
  } else if (blockIdx.x == 1 && threadIdx.x == 0) {
    while (atomicAdd(&flag, 0) != 1) {}
    __threadfence();
    *out = *data;  // data2
  }
}

// race: read data2, write data; global; grid
__global__ void another_sets_the_flag_too(int *data, int *out) {
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    *data = 7;  // data
    __threadfence();
    atomicExch(&flag, 1);
  } else if (blockIdx.x == 1 && threadIdx.x == 0) {
    while (atomicAdd(&flag, 0) != 1) {}
    __threadfence();
    *out = *data;  // data2
  } else if (blockIdx.x == 2 && threadIdx.x == 0) {
    atomicExch(&flag, 1);
  }
}

// safe: 3 of 3 pairs
__global__ void another_value_does_not_matter(int *data, int *out) {
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    *data = 7;
    __threadfence();
    atomicExch(&flag, 1);
  } else if (blockIdx.x == 1 && threadIdx.x == 0) {
    while (atomicAdd(&flag, 0) != 1) {}
    __threadfence();
    *out = *data;
  } else if (blockIdx.x == 2 && threadIdx.x == 0) {
    atomicExch(&flag, 2);
  }
}

// safe: 3 of 3 pairs
__global__ void neighbours(int *data, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = i;
  __threadfence();
  atomicExch(&done[i], 1);
  if (i > 0) {
    while (atomicAdd(&done[i - 1], 0) != 1) {}
    __threadfence();
    out[i] = data[i - 1];
  }
}

// race: read theirs, write mine; global; warp block grid
__global__ void the_wrong_neighbour(int *data, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = i;  // mine
  __threadfence();
  atomicExch(&done[i], 1);
  if (i > 1) {
    while (atomicAdd(&done[i - 1], 0) != 1) {}
    __threadfence();
    out[i] = data[i - 2];  // theirs
  }
}

// safe: 5 of 5 pairs
__global__ void by_a_volatile_flag(int *data, int *out) {
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    *data = 7;
    __threadfence();
    ready = 1;
  } else if (blockIdx.x == 1 && threadIdx.x == 0) {
    while (ready == 0) {}
    __threadfence();
    *out = *data;
  }
}

// race: read look, write ready; global; grid
// race: read read, write data; global; grid (data-dependent)
__global__ void a_look_is_no_wait(int *data, int *out) {
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    *data = 7;  // data
    ready = 1;  // ready
  } else if (blockIdx.x == 1 && threadIdx.x == 0) {
    if (ready) {  // look
      __threadfence();
      *out = *data;  // read
    }
  }
}

// race: read wait, write flag; global; grid (data-dependent)
__global__ void a_wait_without_volatile(int *data, int *flags) {
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    *data = 7;
    __threadfence();
    flags[0] = 1;  // flag
  } else if (blockIdx.x == 1 && threadIdx.x == 0) {
    while (flags[0] == 0) {}  // wait
  }
}

// safe: 3 of 3 pairs
__global__ void passed_on(int *data, int *out) {
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    *data = 1;
    __threadfence();
    atomicExch(&flag, 1);
  } else {
    while (atomicAdd(&flag, 0) != 1) {}
    __threadfence();
    atomicExch(&flag, 1);
    out[blockIdx.x * blockDim.x + threadIdx.x] = *data;
  }
}

// race: read late, write early; global; warp block grid
__global__ void passed_on_without_having_waited(int *data, int *out) {
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    *data = 1;  // early
    __threadfence();
    atomicExch(&flag, 1);
  } else {
    atomicExch(&flag, 1);
    while (atomicAdd(&flag, 0) != 1) {}
    __threadfence();
    out[blockIdx.x * blockDim.x + threadIdx.x] = *data;  // late
  }
}

// open: read before, write behind; global; grid: a wait for flag, set in line 200, may order them
__global__ void set_by_somebody_behind_a_barrier(int *data, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = data[i];  // before
  __syncthreads();
  if (i == 1) {
    __threadfence();
    atomicExch(&flag, 1);
  } else if (blockIdx.x > 0) {
    while (atomicAdd(&flag, 0) != 1) {}
    __threadfence();
    data[i - blockDim.x] = 1;  // behind
  }
}

// open: write data, write data2; global; warp grid: a wait for flag, set in line 215, may order them
__global__ void waited_for_in_rounds(int *data, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i + 1] = 7;  // data
  for (int k = 0; k < 2; k++) {
    if (i == 0) {
      __threadfence();
      atomicExch(&flag, 1);
    } else {
      while (atomicAdd(&flag, 0) != 1) {}
      __threadfence();
    }
  }
  if (i == 5) data[1] = 8;  // data2
}

// open: read back, write kept; shared; warp: a wait for done, set in line 230, may order them
__global__ void set_for_several_blocks(int *out) {
  __shared__ int mail;
  if (threadIdx.x == 0) {
    mail = 7;  // kept
    __threadfence();
    atomicExch(&done[blockIdx.x & 7], 1);
  }
  if (threadIdx.x == 1) {
    while (atomicAdd(&done[blockIdx.x & 7], 0) != 1) {}
    __threadfence();
    out[blockIdx.x] = mail;  // back
  }
}

// safe: 3 of 3 pairs
__global__ void set_for_each_block(int *out) {
  __shared__ int mail;
  if (threadIdx.x == 0) {
    mail = 7;
    __threadfence();
    atomicExch(&done[blockIdx.x], 1);
  }
  if (threadIdx.x == 1) {
    while (atomicAdd(&done[blockIdx.x], 0) != 1) {}
    __threadfence();
    out[blockIdx.x] = mail;
  }
}
"""


@pytest.fixture(scope="module")
def flags(tmp_path_factory: pytest.TempPathFactory) -> Report:
    return check(tmp_path_factory.mktemp("flags"), FLAGS)


@pytest.mark.parametrize("kernel", cases(FLAGS))
def test_verdict_with_flags(kernel: str, flags: Report):
    assert observed(flags, FLAGS)[kernel] == expected(FLAGS)[kernel]


def test_safe_says_what_the_flag_held(flags: Report, tmp_path: Path):
    (kernel,) = [k for k in flags.kernels if k.kernel == "waiting"]
    texts = [a.text for launch in kernel.launches for a in launch.assumptions]
    assert "flag does not hold what the wait in line 13 is for when the kernel begins" in texts


ARRIVALS = """
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__device__ unsigned int arrived = 0;
__device__ int done[64];

// safe: 7 of 7 pairs
__global__ void the_last_block(float *partial, const float *in, float *out) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = in[blockIdx.x];
    __threadfence();
    unsigned int ticket = atomicInc(&arrived, gridDim.x);
    last = (ticket == gridDim.x - 1);
  }
  __syncthreads();
  if (last) {
    __threadfence();
    for (int i = threadIdx.x; i < gridDim.x; i += blockDim.x) out[i] = partial[i];
    if (threadIdx.x == 0) arrived = 0;
  }
}

// safe: 5 of 5 pairs
__global__ void by_a_volatile_array(volatile float *partial, const float *in, float *out) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = in[blockIdx.x];
    __threadfence();
    last = atomicAdd(&arrived, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last) out[threadIdx.x] = partial[0];
}

// safe: 9 of 9 pairs
__global__ void the_total_where_a_part_was(volatile float *partial, const float *in) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = in[blockIdx.x];
    __threadfence();
    last = atomicAdd(&arrived, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    partial[0] = partial[1];
    arrived = 0;
  }
}

// race: write part, write total; global; grid (data-dependent)
// race: read total, write part; global; grid (data-dependent)
__global__ void the_total_without_a_fence_before(volatile float *partial, const float *in) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = in[blockIdx.x];  // part
    last = atomicAdd(&arrived, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    partial[0] = partial[1];  // total
    arrived = 0;
  }
}

// safe: 3 of 3 pairs
__global__ void who_has_waited_writes(int *partial, const int *in) {
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = in[blockIdx.x];
    __threadfence();
    atomicAdd(&arrived, 1);
    while (atomicAdd(&arrived, 0) < gridDim.x) {}
    __threadfence();
    if (blockIdx.x == 1) partial[0] = 7;
  }
}

// race: write late, write part; global; grid
__global__ void who_has_waited_writes_without_a_fence(int *partial, const int *in) {
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = in[blockIdx.x];  // part
    __threadfence();
    atomicAdd(&arrived, 1);
    while (atomicAdd(&arrived, 0) < gridDim.x) {}
    if (blockIdx.x == 1) partial[0] = 7;  // late
  }
}

// race: read sum, write part; global; grid (data-dependent)
__global__ void no_fence_before_arriving(float *partial, const float *in, float *out) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = in[blockIdx.x];  // part
    last = atomicAdd(&arrived, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    __threadfence();
    for (int i = 0; i < gridDim.x; ++i) *out += partial[i];  // sum
  }
}

// race: read sum, write part; global; grid (data-dependent)
__global__ void no_fence_by_the_last(float *partial, const float *in, float *out) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = in[blockIdx.x];  // part
    __threadfence();
    last = atomicAdd(&arrived, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    for (int i = 0; i < gridDim.x; ++i) *out += partial[i];  // sum
  }
}

// race: read sum, write part; global; grid (data-dependent)
// race: read sum, write sum; global; grid (data-dependent)
// race: write sum, write sum; global; grid (data-dependent)
__global__ void one_too_early(float *partial, const float *in, float *out) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = in[blockIdx.x];  // part
    __threadfence();
    last = atomicAdd(&arrived, 1) == gridDim.x - 2;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    __threadfence();
    for (int i = 0; i < gridDim.x; ++i) *out += partial[i];  // sum
  }
}

// note: write part, write part; global; block
// race: read sum, write part; global; grid (data-dependent)
// race: read sum, write sum; global; grid (data-dependent)
// race: write last, write last; shared; block
// race: write sum, write sum; global; grid (data-dependent)
__global__ void every_warp_arrives(float *partial, const float *in, float *out) {
  __shared__ bool last;
  if (threadIdx.x % 32 == 0) {
    partial[blockIdx.x] = in[blockIdx.x];  // part
    __threadfence();
    last = atomicAdd(&arrived, 1) == gridDim.x - 1;  // last
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    __threadfence();
    for (int i = 0; i < gridDim.x; ++i) *out += partial[i];  // sum
  }
}

// safe: 3 of 3 pairs
__global__ void block_after_block(int *data) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (blockIdx.x > 0) {
    if (threadIdx.x == 0) {
      while (atomicAdd(&done[blockIdx.x - 1], 0) == 0) {}
      __threadfence();
    }
    __syncthreads();
    data[i] += data[i - blockDim.x];
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicExch(&done[blockIdx.x], 1);
  }
}

// race: read own, write own; global; grid
__global__ void block_after_block_by_tiles(int *data) {
  auto tile = cg::tiled_partition<64>(cg::this_thread_block());
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (blockIdx.x > 0) {
    if (threadIdx.x == 0) {
      while (atomicAdd(&done[blockIdx.x - 1], 0) == 0) {}
      __threadfence();
    }
    tile.sync();
    data[i] += data[i - blockDim.x];  // own
  }
  tile.sync();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicExch(&done[blockIdx.x], 1);
  }
}

// race: read own, write own; global; grid
__global__ void block_after_block_without_a_barrier(int *data) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (blockIdx.x > 0) {
    if (threadIdx.x == 0) {
      while (atomicAdd(&done[blockIdx.x - 1], 0) == 0) {}
      __threadfence();
    }
    __syncthreads();
    data[i] += data[i - blockDim.x];  // own
  }
  if (threadIdx.x == 0) {
    __threadfence();
    atomicExch(&done[blockIdx.x], 1);
  }
}

// open: read other, write other; global; warp block grid: a wait for arrived, set in line 216, may order them
// open: read other, write own; global; warp block grid: a wait for arrived, set in line 216, may order them
__global__ void barrier_of_the_grid_again_and_again(int *data, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int r = 1; r <= rounds; ++r) {
    data[i] += r;  // own
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      atomicAdd(&arrived, 1);
      while (atomicAdd(&arrived, 0) < r * gridDim.x) {}
      __threadfence();
    }
    __syncthreads();
    if (i > 0) data[i] += data[i - 1];  // other
  }
}

// race: read part, write part; global; grid (data-dependent)
__global__ void arrivals_that_count_twice(int *partial, int *out) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = blockIdx.x;  // part
    __threadfence();
    last = atomicAdd(&arrived, 2) == gridDim.x - 1;
  }
  __syncthreads();
  if (last) {
    __threadfence();
    if (threadIdx.x == 0) out[blockIdx.x] = partial[0];  // part
  }
}
"""


@pytest.fixture(scope="module")
def arrivals(tmp_path_factory: pytest.TempPathFactory) -> Report:
    return check(tmp_path_factory.mktemp("arrivals"), ARRIVALS)


@pytest.mark.parametrize("kernel", cases(ARRIVALS))
def test_verdict_with_arrivals(kernel: str, arrivals: Report):
    assert observed(arrivals, ARRIVALS)[kernel] == expected(ARRIVALS)[kernel]


CAUSES = {
    "no_fence_after_taking": ("HGRD005", "the lock lock would order the two, but no fence stands between taking it"),
    "no_fence_before_giving": ("HGRD005", "giving it back"),
    "fence_of_the_block": ("HGRD006", "taking it"),
    "two_locks": ("HGRD001", ""),
    "behind_the_lock": ("HGRD001", ""),
    "no_fence_before_the_flag": ("HGRD005", "writing it"),
    "no_fence_after_the_wait": ("HGRD005", "the wait in line"),
    "the_wrong_neighbour": ("HGRD001", ""),
    "no_fence_before_arriving": ("HGRD005", "the counter arrived would order the two"),
    "no_fence_by_the_last": ("HGRD006", "reading it"),
}


@pytest.mark.parametrize("kernel", CAUSES)
def test_cause(kernel: str, report: Report, flags: Report, arrivals: Report):
    (found,) = [k for r in (report, flags, arrivals) for k in r.kernels if k.kernel == kernel]
    rule, words = CAUSES[kernel]
    assert {f.rule for f in found.findings} == {rule}
    assert all(words in f.cause if words else not f.cause for f in found.findings)


def test_a_lock_written_plainly(report: Report):
    (found,) = [k for k in report.kernels if k.kernel == "lock_cleared_by_a_plain_write"]
    causes = {(f.first.kind.value, f.second.kind.value): f.rule for f in found.findings if f.first.array == "lock"}
    assert causes == {("write", "write"): "HGRD001", ("write", "atomic"): "HGRD007"}


VOLATILE = """
__device__ int flag = 0;

// safe: 3 of 3 pairs
__global__ void volatile_read(volatile int *data, int *out) {
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    *data = 7;
    __threadfence();
    atomicExch(&flag, 1);
  } else if (blockIdx.x == 1 && threadIdx.x == 0) {
    while (atomicAdd(&flag, 0) != 1) {}
    *out = *data;
  }
}

// race: write again, write data; global; grid
__global__ void volatile_write(volatile int *data, int *out) {
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    *data = 7;  // data
    __threadfence();
    atomicExch(&flag, 1);
  } else if (blockIdx.x == 1 && threadIdx.x == 0) {
    while (atomicAdd(&flag, 0) != 1) {}
    *data = 8;  // again
  }
}
"""

test_only_reads_do_without_a_fence = verdicts(VOLATILE)


FEW = """
__device__ int locks[256];
__global__ void of_few_or_many_blocks(int *sums) {
  while (atomicCAS(&locks[blockIdx.x & 255], 0, 1) != 0) {}
  __threadfence();
  sums[blockIdx.x] += 1;
  __threadfence_block();
  *(volatile int *)(&locks[blockIdx.x & 255]) = 0;
}
"""


def test_another_block_takes_the_same_lock_in_the_witness(tmp_path: Path):
    (kernel,) = check(tmp_path, FEW).kernels
    sums = [f for f in kernel.findings if f.first.array == "sums"]
    assert {(f.first.kind.value, f.second.kind.value) for f in sums} == {("read", "write"), ("write", "write")}
    assert all(f.witness.grid_dim[0] > 256 for f in sums)


IN_ROUNDS = """
__device__ int flag = 0;

// safe: 3 of 3 pairs
__global__ void set_behind_rounds_with_a_barrier(int *data, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (blockIdx.x == 0) {
    for (int k = 0; k < 3; k++) {
      data[3 * threadIdx.x + k] = k;
      __syncthreads();
    }
  }
  if (i == 0) {
    __threadfence();
    atomicExch(&flag, 1);
  } else if (blockIdx.x > 0) {
    while (atomicAdd(&flag, 0) != 1) {}
    __threadfence();
    out[i] = data[threadIdx.x];
  }
}

// race: read late, write data; global; grid
__global__ void set_behind_rounds_without(int *data, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (blockIdx.x == 0) {
    for (int k = 0; k < 3; k++) {
      data[3 * threadIdx.x + k] = k;  // data
    }
  }
  if (i == 0) {
    __threadfence();
    atomicExch(&flag, 1);
  } else if (blockIdx.x > 0) {
    while (atomicAdd(&flag, 0) != 1) {}
    __threadfence();
    out[i] = data[threadIdx.x];  // late
  }
}

// race: read late, write data; global; grid
__global__ void the_last_round_has_no_barrier_behind(int *data, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (blockIdx.x == 0) {
    for (int k = 0; k < 3; k++) {
      __syncthreads();
      data[3 * threadIdx.x + k] = k;  // data
    }
  }
  if (i == 0) {
    __threadfence();
    atomicExch(&flag, 1);
  } else if (blockIdx.x > 0) {
    while (atomicAdd(&flag, 0) != 1) {}
    __threadfence();
    out[i] = data[threadIdx.x];  // late
  }
}
"""

test_what_is_set_behind_rounds = verdicts(IN_ROUNDS)
