"""Barriers of the grid that a program makes itself: one thread of each block arrives and waits for all the others.

Each kernel writes its part of `a` before the barrier, and reads that of another block behind it.
"""

from pathlib import Path

import pytest

from hgrd.findings.model import Report
from tests.checking import cases, check, expected, observed

SOURCE = """
__device__ int count;
__device__ volatile int sense;
#define HERE blockIdx.x * blockDim.x + threadIdx.x
#define THERE gridDim.x * blockDim.x - 1 - (HERE)

__device__ void meet() {
  __threadfence();
  atomicAdd(&count, 1);  // arrives
  while (atomicAdd(&count, 0) < gridDim.x) {}  // waits
  __threadfence();
}

// safe: 3 of 3 pairs
__global__ void by_a_counter(int *a, int *b) {
  a[HERE] = 1;
  __syncthreads();
  if (threadIdx.x == 0) meet();
  __syncthreads();
  b[HERE] = a[THERE];
}

// safe: 3 of 3 pairs
__global__ void by_a_signed_counter(int *a, int *b) {
  a[HERE] = 1;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(&count, 1);
    while (atomicAdd(&count, 0) != (int)gridDim.x) {}
    __threadfence();
  }
  __syncthreads();
  b[HERE] = a[THERE];
}

// open: read late, write early; global; grid: a wait for count, set in line COUNTS, may order them
__global__ void narrow_count(int *a, int *b) {
  a[HERE] = 1;  // early
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(&count, 1);  // counts
    while (atomicAdd(&count, 0) < gridDim.x - 1) {}
    __threadfence();
  }
  __syncthreads();
  b[HERE] = a[THERE];  // late
}

// race: read behind, write unguarded; global; grid
__global__ void nobody_waits_for_the_others(int *a, int *b) {
  a[HERE] = 1;  // unguarded
  if (threadIdx.x == 0) meet();
  __syncthreads();
  b[HERE] = a[THERE];  // behind
}

// race: read unheld, write before; global; grid
__global__ void the_others_do_not_wait(int *a, int *b) {
  a[HERE] = 1;  // before
  __syncthreads();
  if (threadIdx.x == 0) meet();
  b[HERE] = a[THERE];  // unheld
}

__device__ void meet_by_sense(int n) {
  int mine = !sense;
  __threadfence();
  if (atomicAdd(&count, 1) == n - 1) {  // last
    count = 0;
    __threadfence();
    sense = mine;
  } else {
    while (sense != mine) {}
  }
  __threadfence();
}

// open: read ended, write begun; global; grid: a wait for count, set in line LAST, may order them
__global__ void by_sense(int *a, int *b) {
  a[HERE] = 1;  // begun
  __syncthreads();
  if (threadIdx.x == 0) meet_by_sense(gridDim.x);
  __syncthreads();
  b[HERE] = a[THERE];  // ended
}

// race: read two, write one; global; grid
__global__ void by_sense_but_free(int *a, int *b) {
  a[HERE] = 1;  // one
  __syncthreads();
  if (threadIdx.x == 0) meet_by_sense(gridDim.x);
  b[HERE] = a[THERE];  // two
}

__device__ void meet_by_the_wrong_sense(int n) {
  int mine = sense;
  __threadfence();
  if (atomicAdd(&count, 1) == n - 1) {
    count = 0;
    __threadfence();
    sense = !mine;
  } else {
    while (sense != mine) {}
  }
  __threadfence();
}

// race: read later, write sooner; global; grid
__global__ void by_the_wrong_sense(int *a, int *b) {
  a[HERE] = 1;  // sooner
  __syncthreads();
  if (threadIdx.x == 0) meet_by_the_wrong_sense(gridDim.x);
  __syncthreads();
  b[HERE] = a[THERE];  // later
}
"""


def _line(label: str) -> int:
    return next(n for n, line in enumerate(SOURCE.splitlines(), 1) if line.endswith(f"// {label}"))


TEXT = SOURCE.replace("LAST", str(_line("last"))).replace("COUNTS", str(_line("counts")))
EXPECTED = expected(TEXT)
CAUSES = {
    "nobody_waits_for_the_others": f"arrives at count in line {_line('arrives')}, but no barrier before makes it wait",
    "the_others_do_not_wait": f"waits for count in line {_line('waits')}, but no barrier behind makes the others wait",
}


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    return check(tmp_path_factory.mktemp("two_level"), TEXT, block_dim=(64, 1, 1))


@pytest.mark.parametrize("kernel", cases(TEXT))
def test_what_orders(report: Report, kernel: str):
    found = {k: [line for line in lines if "sense" not in line] for k, lines in observed(report, TEXT).items()}
    assert found[kernel] == EXPECTED[kernel]


@pytest.mark.parametrize("kernel", EXPECTED)
def test_why_it_does_not(report: Report, kernel: str):
    (found,) = (k for k in report.kernels if k.kernel == kernel)
    causes = [(f.rule, f.cause) for f in found.findings]
    if kernel in CAUSES:
        ((rule, cause),) = causes
        assert rule == "HGRD009"
        assert CAUSES[kernel] in cause
    else:
        assert "HGRD009" not in {rule for rule, _ in causes}


def test_a_barrier_without_atomics_races_itself(tmp_path: Path):
    """A missing lock: two that count at once count one."""
    text = TEXT.replace(
        "if (atomicAdd(&count, 1) == n - 1) {  // last", "int found = count; count = found + 1; if (found == n - 1) {"
    )
    (kernel,) = (k for k in check(tmp_path, text, block_dim=(64, 1, 1)).kernels if k.kernel == "by_sense")
    pairs = {(f.first.array, f.first.kind.value, f.second.kind.value) for f in kernel.findings}
    assert {("count", "read", "write"), ("count", "write", "write")} <= pairs
