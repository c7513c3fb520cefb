"""Barriers that some threads perform and others do not, and those that all perform.

The comments above a kernel are what hgrd says of its barriers: rule, scope, cause, label of the barrier, the
iterations in which the threads part, and "(data)" where that depends on contents.  A comment `open` is a barrier
that is not decided.  A kernel without comments has no such barrier.
"""

import re

import pytest

from hgrd.findings.model import Confidence, Report
from tests.checking import check

SOURCE = """
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
#define FULL 0xffffffffu
extern "C" __device__ void __assertfail(const char *, const char *, unsigned, const char *, unsigned long);

// ------------------------------------------------------------ branches

// HGRD002 block branch here
__global__ void some_threads(int *a) {
  if (threadIdx.x < 7) __syncthreads();  // here
}

// HGRD002 block branch here i=0
__global__ void a_loop_that_some_enter(int *a) {
  for (int i = threadIdx.x; i < 1; i += 64) __syncthreads();  // here
}

__global__ void a_loop_that_all_enter(int *a) {
  for (int i = blockIdx.x; i < 1; i += 64) __syncthreads();
}

__global__ void parameter(int *a, int n) { if (n < 7) __syncthreads(); }

__global__ void some_blocks(int *a) { if (blockIdx.x < 7) __syncthreads(); }

// HGRD002 block branch here
__global__ void some_of_the_last_block(int *a, int n) {
  if (blockIdx.x * blockDim.x + threadIdx.x < n) __syncthreads();  // here
}

__global__ void whole_blocks(int *a, int n) {
  if (n % blockDim.x == 0 && blockIdx.x * blockDim.x + threadIdx.x < n) __syncthreads();
}

// HGRD002 block branch here (data)
__global__ void contents(int *a) {
  if (a[threadIdx.x]) __syncthreads();  // here
}

__global__ void contents_for_the_block(int *a) { if (a[blockIdx.x]) __syncthreads(); }

__global__ void rounds_that_the_block_leaves_out(int *a, const int *b, int n) {
  for (int i = 0; i < n; i++) {
    if (a[i] > 0) continue;
    __syncthreads();
    a[n + blockDim.x * blockIdx.x + threadIdx.x] = b[i];
  }
}

// HGRD002 block branch here i=0 (data)
__global__ void rounds_that_each_warp_leaves_out(int *a, const int *b, int n) {
  for (int i = 0; i < n; i++) {
    if (a[i + threadIdx.x / 32] > 0) continue;
    __syncthreads();  // here
    a[n + blockDim.x * blockIdx.x + threadIdx.x] = b[i];
  }
}

__global__ void told_by_one(int *a) {
  __shared__ int go;
  if (threadIdx.x == 0) go = a[blockIdx.x];
  __syncthreads();
  if (go > 3) __syncthreads();
}

// HGRD002 block branch here (data)
__global__ void told_to_each(int *a) {
  __shared__ int go[1024];
  go[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  if (go[threadIdx.x] > 3) __syncthreads();  // here
}

// open
__global__ void computed_for_each(int *a) {
  __shared__ int go[1024];
  go[threadIdx.x] = threadIdx.x / 2000;
  __syncthreads();
  if (go[threadIdx.x] > 3) __syncthreads();
}

__global__ void voted(int *a) {
  if (__syncthreads_or(a[threadIdx.x])) __syncthreads();
  if (__syncthreads_and(a[threadIdx.x])) __syncthreads();
  if (__syncthreads_count(a[threadIdx.x]) > 3) __syncthreads();
}

// HGRD002 block branch one
// HGRD002 block branch other
__global__ void both_arms(int *a) {
  if (threadIdx.x & 1) {
    a[2 * threadIdx.x] = 1;
    __syncthreads();  // one
  } else {
    __syncthreads();  // other
  }
}

__global__ void both_arms_of_a_uniform_condition(int *a, int n) {
  if (n & 1) __syncthreads();
  else __syncthreads();
}

// HGRD002 block branch first
// HGRD002 block branch rest
__global__ void cases_of_a_switch(int *a) {
  switch (threadIdx.x) {
    case 0:
      __syncthreads();  // first
      break;
    case 1: break;
    default: __syncthreads();  // rest
  }
}

__global__ void switch_on_a_parameter(int *a, int n) {
  switch (n) {
    case 0: __syncthreads(); break;
    case 1: break;
    default: __syncthreads();
  }
}

// HGRD002 block branch here (data)
__global__ void in_a_function_that_returns_early(int *a) {
  auto meet = [&](int x) { if (x) return; __syncthreads(); };  // here
  meet(a[threadIdx.x]);
}

__global__ void behind_a_function_that_returns_early(int *a) {
  auto store = [&](int x) { if (x) return; a[threadIdx.x] = 0; };
  store(a[threadIdx.x]);
  __syncthreads();
}

__global__ void merged_again(int *a) {
  int x = threadIdx.x < 7 ? a[0] : a[1];
  if (threadIdx.x < 3) x = 1;
  __syncthreads();
  a[threadIdx.x] = x;
}

// ------------------------------------------------------------ loops

__global__ void scan(int *sum) {
  int tid = threadIdx.x, offset = 1, temp = 0;
  while (offset < 256) {
    if (tid >= offset) temp = sum[tid - offset];
    __syncthreads();
    if (tid >= offset) sum[tid] = sum[tid] + temp;
    __syncthreads();
    offset *= 2;
  }
}

// HGRD002 block branch before offset=0
// HGRD002 block branch after offset=0
__global__ void scan_as_long_as_needed(int *sum) {
  int tid = threadIdx.x, offset = 1, temp = 0;
  while (offset <= tid) {
    temp = sum[tid - offset];
    __syncthreads();  // before
    sum[tid] = sum[tid] + temp;
    __syncthreads();  // after
    offset *= 2;
  }
}

// HGRD002 block branch here offset=3
__global__ void parts_in_the_fourth_iteration(int *sum) {
  for (int offset = 1; offset <= threadIdx.x + 4; offset *= 2) __syncthreads();  // here
}

__global__ void trips_by_parameter(int n) { for (int i = 0; i < n; ++i) __syncthreads(); }

__global__ void trips_by_block(int n) { for (int i = blockIdx.x; i < n; i += gridDim.x) __syncthreads(); }

// HGRD002 block branch here i=0
__global__ void trips_by_thread() {
  for (int i = 0; i < threadIdx.x; ++i) __syncthreads();  // here
}

// HGRD002 block branch here i=1
__global__ void strided(int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) __syncthreads();  // here
}

__global__ void strided_together(int n) {
  for (int base = 0; base < n; base += blockDim.x) { int i = base + threadIdx.x; if (i < n) ; __syncthreads(); }
}

__global__ void halving(int *a, int n) {
  for (int s = n; s > 1; s = (s + 1) / 2) {
    if (threadIdx.x < s / 2) a[threadIdx.x] = 1;
    __syncthreads();
  }
}

// HGRD002 block branch here i=1
__global__ void tested_at_the_end() {
  int i = 0;
  do {
    __syncthreads();  // here
    ++i;
  } while (i < threadIdx.x);
}

__global__ void tested_at_the_end_alike(int n) {
  int i = 0;
  do { __syncthreads(); ++i; } while (i < n);
}

// HGRD002 block branch here i=1
__global__ void break_before_the_barrier(int n) {
  for (int i = 0; i < n; ++i) {
    if (i > threadIdx.x) break;
    __syncthreads();  // here
  }
}

// HGRD002 block loop here i=2
__global__ void break_behind_the_barrier(int n) {
  for (int i = 0; i < n; ++i) {
    __syncthreads();  // here
    if (i > threadIdx.x) break;
  }
}

__global__ void break_for_all(int n, int m) {
  for (int i = 0; i < n; ++i) {
    __syncthreads();
    if (i > m) break;
  }
}

// HGRD002 block loop here iteration=1 (data)
__global__ void until_each_is_done(int *a) {
  while (true) {
    __syncthreads();  // here
    if (a[threadIdx.x] > 3) break;
  }
}

__global__ void until_all_are_done(int *a) {
  while (true) {
    if (__syncthreads_and(a[threadIdx.x] > 3)) break;
  }
}

// HGRD002 block branch here i=0
__global__ void continued(int n) {
  for (int i = 0; i < n; ++i) {
    if (i % 2 == threadIdx.x % 2) continue;
    __syncthreads();  // here
  }
}

__global__ void continued_by_all(int n) {
  for (int i = 0; i < n; ++i) {
    if (i % 2) continue;
    __syncthreads();
  }
}

// HGRD002 block branch here i=0 j=0 (data)
__global__ void inner_loop_by_thread(int *a, int n) {
  for (int i = 0; i < n; ++i)
    if (a[i])
      for (int j = 0; j < threadIdx.x; ++j) __syncthreads();  // here
}

__global__ void flag_of_the_block(int *a) {
  __shared__ int more;
  do {
    __syncthreads();
    if (threadIdx.x == 0) more = 0;
    __syncthreads();
    if (a[threadIdx.x] > 3) more = 1;
    __syncthreads();
  } while (more);
}

__global__ void vote_carried(int *a) {
  int go = 1;
  while (go) go = __syncthreads_or(a[threadIdx.x]);
}

// HGRD002 block branch here iteration=1 (data)
__global__ void own_flag_carried(int *a) {
  int go = 1;
  while (go) {
    __syncthreads();  // here
    go = a[threadIdx.x];
  }
}

// ------------------------------------------------------------ exits

// HGRD003 block exit here
__global__ void some_have_returned(int *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  __syncthreads();  // here
  a[i] = 1;
}

__global__ void blocks_have_returned(int *a, int n) {
  if (blockIdx.x >= n) return;
  __syncthreads();
}

// HGRD003 block exit here i=1
__global__ void returned_in_an_iteration(int n) {
  for (int i = 0; i < n; ++i) {
    if (i > threadIdx.x) return;
    __syncthreads();  // here
  }
}

// HGRD003 block exit here i=2
__global__ void returned_behind_the_barrier(int n) {
  for (int i = 0; i < n; ++i) {
    __syncthreads();  // here
    if (i > threadIdx.x) return;
  }
}

// HGRD003 block exit here i=2
__global__ void returned_where_it_would_break(int n) {
  for (int i = 0; i < n; ++i) {
    __syncthreads();  // here
    bool done = i > threadIdx.x;
    if (i >= threadIdx.x + 1) return;
    if (done) break;
  }
}

// HGRD003 block exit here (data)
__global__ void returned_in_an_earlier_loop(int *a, int n) {
  for (int i = 0; i < n; ++i)
    if (a[i] > threadIdx.x) return;
  __syncthreads();  // here
}

__global__ void all_returned_in_an_earlier_loop(int *a, int n) {
  for (int i = 0; i < n; ++i)
    if (a[i]) return;
  __syncthreads();
}

// HGRD002 block branch here
__global__ void returned_and_branched(int *a) {
  if (threadIdx.x > 40) return;
  if (threadIdx.x < 7) __syncthreads();  // here
}

// HGRD003 block exit here
__global__ void all_that_have_not_returned(int *a) {
  if (threadIdx.x > 40) return;
  if (threadIdx.x < 41) __syncthreads();  // here
}

__global__ void aborted(int *a) {
  if (a[threadIdx.x] < 0) __trap();
  if (a[threadIdx.x] < 1) abort();
  if (a[threadIdx.x] < 2) exit(1);
  if (a[threadIdx.x] < 3) __assertfail("a", "b", 1, "c", 1);
  __syncthreads();
}

// HGRD003 block exit here (data)
__global__ void returned(int *a) {
  if (a[threadIdx.x] < 0) return;
  __syncthreads();  // here
}

// ------------------------------------------------------------ the grid

// HGRD002 grid exit here
__global__ void grid_behind_exits(int n) {
  if (blockIdx.x * blockDim.x + threadIdx.x >= n) return;
  cg::this_grid().sync();  // here
}

// HGRD002 grid branch here
__global__ void grid_of_some_blocks() {
  if (blockIdx.x < 3) cg::this_grid().sync();  // here
}

__global__ void grid_by_parameter(int n) { if (n < 3) cg::this_grid().sync(); }

// ------------------------------------------------------------ warps

// HGRD002 warp branch here
__global__ void half_a_warp() {
  if (threadIdx.x % 32 < 16) __syncwarp();  // here
}

__global__ void half_a_warp_by_mask() {
  if (threadIdx.x % 32 < 16) __syncwarp(0xffff);
  else __syncwarp(0xffff0000);
}

__global__ void warps_in_two_arms() {
  if (threadIdx.x % 32 < 16) __syncwarp();
  else __syncwarp();
}

__global__ void whole_warps() { if (threadIdx.x / 32 < 2) __syncwarp(); }

__global__ void warp_behind_exits(int n) {
  if (threadIdx.x % 32 >= n) return;
  __syncwarp();
}

// HGRD002 block branch here
__global__ void __launch_bounds__(64) whole_warps_at_a_barrier_of_the_block() {
  if (threadIdx.x / 32 == 0) __syncthreads();  // here
}

// HGRD004 warp mask here
__global__ void not_named() {
  if (threadIdx.x % 32 < 17) __syncwarp(0xffff);  // here
}

// HGRD004 warp mask here
__global__ void two_masks() {
  __syncwarp(threadIdx.x % 32 < 16 ? FULL : FULL - 1 | threadIdx.x % 32 < 31);  // here
}

// HGRD002 warp branch here (data)
__global__ void warp_by_a_value(int *a) {
  if (a[threadIdx.x]) __syncwarp();  // here
}

__global__ void warp_by_a_vote(int *a) {
  if (__uni_sync(FULL, a[threadIdx.x])) __syncwarp();
}

// open
__global__ void mask_of_a_vote(int *a) {
  unsigned mask = __ballot_sync(FULL, a[threadIdx.x]);
  if (a[threadIdx.x]) __syncwarp(mask);
}
"""
_LABEL = re.compile(r"//\s*(\w+)\s*$")
_EXPECTED = re.compile(r"// (HGRD00\d .*|open)$")
_KERNEL = re.compile(r"__global__\s+void\s+(?:__launch_bounds__\(\w+\)\s+)?(\w+)\s*\(")


def expected(text: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    waiting: list[str] = []
    for line in text.splitlines():
        if comment := _EXPECTED.match(line):
            waiting.append(comment[1])
        elif kernel := _KERNEL.search(line):
            found[kernel[1]], waiting = sorted(waiting), []
    return found


def observed(report: Report, text: str) -> dict[str, list[str]]:
    labels = {n: m[1] for n, line in enumerate(text.splitlines(), 1) if (m := _LABEL.search(line))}
    said: dict[str, list[str]] = {}
    for kernel in report.kernels:
        lines = ["open" for launch in kernel.launches for _ in launch.open_barriers]
        for d in kernel.divergences:
            where = [f"{name}={number}" for name, number in d.witness.iterations]
            sure = ["(data)"] if d.confidence is Confidence.DATA_DEPENDENT else []
            lines.append(" ".join([d.rule.value, d.scope, d.how, labels[d.span.line], *where, *sure]))
        said[kernel.kernel] = sorted(lines)
    return said


EXPECTED = expected(SOURCE)


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    return observed(check(tmp_path_factory.mktemp("rules"), SOURCE), SOURCE)


@pytest.mark.parametrize("kernel", EXPECTED)
def test_barriers_of(kernel: str, said: dict[str, list[str]]):
    assert said[kernel] == EXPECTED[kernel]


def test_every_kernel_has_an_expectation(said: dict[str, list[str]]):
    assert said.keys() == EXPECTED.keys()
