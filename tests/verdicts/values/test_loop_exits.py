"""Of the loops that have ended, a query says what the accesses depend on, and no more."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from hgrd.findings.options import AnalysisOptions
from hgrd.races.pairs.printer import print_queries
from tests.checking import check, outcomes_of_launches, protocols

ENDINGS = """
__global__ void ends(int *a, bool *go) {
  int i = 0, k = 0, u = 0;
  while (go[i]) i++;
  while (k < i && go[k]) k += 2;
  while (go[u]) u++;
  a[64 * WHERE + threadIdx.x] = 1;
}
"""


def guards(folder: Path, place: str) -> list[str]:
    """The guards of the first thread in the query of the write against itself, within a warp."""
    options = AnalysisOptions(block_dim=(64, 1, 1), grid_dim=(1, 1, 1))
    text = ENDINGS.replace("WHERE", place)
    protocol = protocols(folder, text, block_dim=options.block_dim, grid_dim=options.grid_dim)["ends"]
    first = print_queries(protocol, (), options).partition("intra-block")[0]
    return [line.strip() for line in first.splitlines() if line.startswith("    first when ")]


def test_a_count_brings_along_the_counts_that_bound_it(tmp_path: Path):
    assert guards(tmp_path, "k") == [
        "first when go[i#end] == 0",
        "first when i#end <= 0 || go[i#end - 1] != 0",
        "first when i#end <= k.iteration#end * 2 || go[k.iteration#end * 2] == 0",
        "first when k.iteration#end <= 0 || (k.iteration#end - 1) * 2 < i#end && go[k.iteration#end * 2 - 2] != 0",
    ]


def test_a_count_that_stands_alone_brings_its_own_loop(tmp_path: Path):
    assert guards(tmp_path, "u") == [
        "first when go[u#end] == 0",
        "first when u#end <= 0 || go[u#end - 1] != 0",
    ]


def test_an_access_that_depends_on_no_count_brings_none(tmp_path: Path):
    assert guards(tmp_path, "1") == []


HALVINGS = """
__device__ int halvings(int value) {
  int count = 0;
  while (value > 1) { value OP; count++; }
  return count;
}
__global__ void both(int *a, int n, int c) {
  int t = threadIdx.x;
  if (c < 15) return;
  if (halvings(c) <= n) for (int i = 0; i < 2 * t; i++) a[64 + t] = i;
  if (c / 5 == 3) a[64 + t * 2] = c;
}
int main(int argc, char **argv) {
  int *a; cudaMalloc(&a, 4096); if (argc != 1) return 1; both<<<1, 64>>>(a, N, argc + 14);
}
"""


@pytest.mark.parametrize(
    ("step", "n", "outcome"),
    [
        ("/= 2", 0, Outcome.UNKNOWN),  # by division the count is not known, which the exit of the other loop mentions
        ("/= 2", 3, Outcome.UNKNOWN),
        (">>= 1", 0, Outcome.SAFE),
        (">>= 1", 3, Outcome.RACE),
    ],
)
def test_an_exit_tells_its_own_count_alone(tmp_path: Path, step: str, n: int, outcome: Outcome):
    report = check(tmp_path, HALVINGS.replace("OP", step).replace("N)", f"{n})").replace("a, N", f"a, {n}"))
    assert outcomes_of_launches(report) == {outcome}


GUARDED = """
__device__ int halvings(int value) {
  int count = 0;
  while (value > 1) { value OP; count++; }
  return count;
}
__global__ void guarded(int *a, int n) {
  int z = 0;
  if ((halvings(n) & 3) == 1) {
    int i = 0;
    do { } while ((i += 2) != 4);
    z += a[64];
  }
  if (threadIdx.x == 7) a[64] = z;
}
void run(int p) { int *a; cudaMalloc(&a, 4096); if (max(1, p) == N) guarded<<<1, 8>>>(a, p * p); }
"""


@pytest.mark.parametrize(
    ("operation", "root", "outcome"),
    [
        ("/= 2", "2", Outcome.UNKNOWN),  # how often a division is done is not known
        (">>= 1", "2", Outcome.SAFE),
        (">>= 1", "5", Outcome.SAFE),
        (">>= 1", "6", Outcome.RACE),  # 36 is halved five times
    ],
)
def test_a_guard_of_a_loop_tells_no_counts(tmp_path: Path, operation: str, root: str, outcome: Outcome):
    report = check(tmp_path, GUARDED.replace("OP", operation).replace("N)", f"{root})"))
    assert outcomes_of_launches(report) == {outcome}
