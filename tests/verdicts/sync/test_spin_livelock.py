"""HGRD008: threads of one warp that spin on a lock and give it back behind the loop."""

import re
from pathlib import Path

import pytest

from hgrd.findings.model import Confidence, Outcome
from hgrd.findings.rules import Severity
from hgrd.findings.severity import severity_at_barrier
from hgrd.findings.tally import tally
from tests.checking import check

# A comment `spins` stands at what takes a lock that two threads of a warp want at once.
SOURCE = """
__device__ int lock, locks[4096];
__device__ volatile int sum;
__device__ void take(int *l) { while (atomicCAS(l, 0, 1) != 0) {} /* spins */ __threadfence(); }
__device__ void give(int *l) { __threadfence(); atomicExch(l, 0); }

__global__ void all_threads(int n) {
  while (atomicCAS(&lock, 0, 1) != 0) {}  // spins
  __threadfence();
  sum += n;
  __threadfence();
  atomicExch(&lock, 0);
}

__global__ void by_exchange(int n) {
  while (atomicExch(&lock, 1) == 1);  // spins
  __threadfence();
  sum += n;
  __threadfence();
  atomicExch(&lock, 0);
}

__global__ void some_threads(int n) {
  if (threadIdx.x % 16 == 3) {
    while (atomicCAS(&lock, 0, 1) != 0) {}  // spins
    __threadfence();
    sum += n;
    __threadfence();
    atomicExch(&lock, 0);
  }
}

__global__ void one_of_few_locks(int n) {
  int *mine = &locks[threadIdx.x / 2];
  while (atomicCAS(mine, 0, 1) != 0) {}  // spins
  __threadfence();
  atomicExch(mine, 0);
}

__global__ void within_a_loop(int n) {
  for (int i = 0; i < n; ++i) {
    while (atomicCAS(&locks[i], 0, 1) != 0) {}  // spins
    __threadfence();
    atomicExch(&locks[i], 0);
  }
}

__global__ void done(int n) {
  bool done = false;
  do {
    if (atomicCAS(&lock, 0, 1) == 0) {
      __threadfence();
      sum += n;
      __threadfence();
      atomicExch(&lock, 0);
      done = true;
    }
  } while (!done);
}

__global__ void one_thread_of_a_block(int n) {
  if (threadIdx.x == 0) {
    while (atomicCAS(&lock, 0, 1) != 0) {}
    __threadfence();
    sum += n;
    __threadfence();
    atomicExch(&lock, 0);
  }
}

__global__ void one_lane(int n) {
  if (threadIdx.x % 32 == 0) {
    while (atomicCAS(&lock, 0, 1) != 0) {}
    __threadfence();
    sum += n;
    __threadfence();
    atomicExch(&lock, 0);
  }
}

__global__ void lane_by_lane(int n) {
  for (int lane = 0; lane < 32; ++lane) {
    if (lane == threadIdx.x % 32) {
      while (atomicCAS(&lock, 0, 1) != 0) {}
      __threadfence();
      sum += n;
      __threadfence();
      atomicExch(&lock, 0);
    }
  }
}

__global__ void a_lock_of_each_thread() {
  int *mine = &locks[blockIdx.x * blockDim.x + threadIdx.x];
  while (atomicCAS(mine, 0, 1) != 0) {}
  __threadfence();
  atomicExch(mine, 0);
}

__global__ void no_loop(int n) {
  if (atomicCAS(&lock, 0, 1) == 0) {
    __threadfence();
    sum += n;
    __threadfence();
    atomicExch(&lock, 0);
  }
}
"""
IN_FUNCTIONS = SOURCE[: SOURCE.index("__global__")] + "__global__ void k(int n) { take(&lock); sum += n; give(&lock); }"


def _kernels(text: str) -> dict[str, list[int]]:
    """The lines with a lock that is spun on, by kernel."""
    found: dict[str, list[int]] = {}
    name = ""
    for number, line in enumerate(text.splitlines(), 1):
        if kernel := re.match(r"__global__ void (\w+)", line):
            name = kernel[1]
            found[name] = []
        if line.endswith("// spins"):
            found[name].append(number)
    return found


KERNELS = _kernels(SOURCE)


@pytest.fixture(scope="module")
def spun(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[int]]:
    report = check(tmp_path_factory.mktemp("spinning"), SOURCE)
    return {k.kernel: [d.span.line for d in k.divergences if d.rule.value == "HGRD008"] for k in report.kernels}


@pytest.mark.parametrize("kernel", KERNELS)
def test_which_locks_are_spun_on(spun: dict[str, list[int]], kernel: str):
    assert spun[kernel] == KERNELS[kernel]


def test_what_is_said(tmp_path: Path):
    report = check(tmp_path, IN_FUNCTIONS, block_dim=(64, 1, 1))
    (kernel,) = report.kernels
    (found,) = kernel.divergences
    assert (found.span.line, found.parted and found.parted.line) == (4, 5)
    assert (found.scope, found.how, found.confidence) == ("warp", "lock", Confidence.DEFINITE)
    one, other = found.witness.first, found.witness.second
    assert other is not None
    assert one.block == other.block
    assert one.thread[0] // 32 == other.thread[0] // 32
    assert one.thread != other.thread


def test_it_is_a_note(tmp_path: Path):
    report = check(tmp_path, IN_FUNCTIONS)
    (kernel,) = report.kernels
    (found,) = kernel.divergences
    assert kernel.outcome is Outcome.SAFE
    assert (severity_at_barrier(found, False), severity_at_barrier(found, True)) == (Severity.NOTE, Severity.ERROR)
    assert (tally(report, False).barriers.livelocks, tally(report, False).barriers.errors) == (1, 0)
    assert (tally(report, True).barriers.livelocks, tally(report, True).barriers.errors) == (0, 1)


def test_blocks_of_one_thread(tmp_path: Path):
    (kernel,) = check(tmp_path, IN_FUNCTIONS, block_dim=(1, 1, 1)).kernels
    assert kernel.divergences == ()
