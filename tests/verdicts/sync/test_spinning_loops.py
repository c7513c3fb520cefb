"""Loops that take a lock, or wait for a flag, by a variable with what an atomic gave last."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check, decided, outcomes_of_launches

PROGRAM = """
__device__ int mutex;
__device__ bool try_lock(int *m) { return atomicCAS(m, 0, 1) == 0; }
__device__ void lock(int *m) {
  TAKE
  __threadfence();
}
__device__ void unlock(int *m) {
  __threadfence();
  atomicExch(m, 0);
}
__global__ void count(int *n) {
  if (threadIdx.x == 0) {
    lock(&mutex);
    n[0] += 1;
    unlock(&mutex);
  }
}
int main() {
  int *n;
  cudaMalloc(&n, 4);
  count<<<512, 256>>>(n);
}
"""
ASSEMBLY = 'asm volatile("atom.acquire.gpu.cas.b32 %0, [%1], 0, 1;" : "=r"(seen) : "l"(m) : "memory");'
TAKING = {  # a loop that takes the lock, and one that goes on without it
    "after the try": ("int seen; do { seen = atomicCAS(m, 0, 1); } while (SEEN);", "seen != 0", "seen > 1"),
    "while it is taken": ("int seen; do seen = atomicCAS(m, 0, 1); while (SEEN);", "seen == 1", "seen == 2"),
    "before the try": ("int seen = 1; while (SEEN) { seen = atomicCAS(m, 0, 1); }", "seen != 0", "seen > 1"),
    "with a pause": ("int seen; do { seen = atomicCAS(m, 0, 1); __nanosleep(20); } while (SEEN);", "seen", "seen < 0"),
    "by a flag": (
        "bool done = false; while (!done) { done = SEEN; }",
        "atomicCAS(m, 0, 1) == 0",
        "atomicCAS(m, 0, 1) >= 0",
    ),
    "by a function": ("bool done; do { done = try_lock(m); } while (SEEN);", "!done", "done && !done"),
    "by assembly": ("int seen; do { " + ASSEMBLY + " } while (SEEN);", "seen != 0", "seen > 1"),
}


@pytest.mark.parametrize("way", TAKING)
def test_taken(tmp_path: Path, way: str) -> None:
    loop, taken, _ = TAKING[way]
    report = check(tmp_path, PROGRAM.replace("TAKE", loop.replace("SEEN", taken)))
    assert outcomes_of_launches(report) == {Outcome.SAFE}
    assert decided(report) == (2, 2)


@pytest.mark.parametrize("way", TAKING)
def test_not_taken(tmp_path: Path, way: str) -> None:
    loop, _, not_taken = TAKING[way]
    report = check(tmp_path, PROGRAM.replace("TAKE", loop.replace("SEEN", not_taken)))
    assert outcomes_of_launches(report) == {Outcome.RACE}
    assert decided(report) == (2, 0)
