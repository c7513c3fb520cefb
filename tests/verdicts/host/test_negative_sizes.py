"""Negative sizes: sizes of allocations and launches are not, so races that need them are not reported."""

from pathlib import Path

import pytest

from hgrd.findings.model import Confidence, Outcome, Report
from hgrd.races.plausibility.negative_sizes import sizes
from hgrd.solve.decide import Budget, decide
from hgrd.solve.query import Answer, Query, Undecided
from hgrd.solve.session import Session
from hgrd.terms import const, le, var
from hgrd.terms.rewrite import bottom_up
from tests.checking import check, protocols

# The inner cells of a box with a halo of 4 cells, but for a margin on each side that the host is given, too.
BOX = """
#include <cstdlib>
#include <cassert>
__global__ void inner(int *a, int w, int h, int d, int x1, int y1, int z1,
                      int x0, int y0, int z0) {
  int x = x0 + blockIdx.x * 8 + threadIdx.x, y = y0 + blockIdx.y * 8 + threadIdx.y, z = z0 + blockIdx.z;
  if (x < x1 && y < y1 && z < z1) a[((z + 4) * (h + 8) + y + 4) * (w + 8) + x + 4] = x + y + z;
}
int main(int argc, char **argv) {
  int n[6];
  for (int i = 0; i < 6; i++) n[i] = atoi(argv[i + 1]);
  int *a;
  HOST
  cudaMalloc(&a, sizeof(int) * (n[0] + 8) * (n[1] + 8) * (n[2] + 8));
  dim3 grid((n[0] - 2 * n[3] + 7 + MORE) / 8, (n[1] - 2 * n[4] + 7) / 8, n[2] - 2 * n[5]);
  inner<<<grid, dim3(8, 8)>>>(a, n[0], n[1], n[2], n[0] - n[3] + MORE, n[1] - n[4], n[2] - n[5],
                              n[3], n[4], n[5]);
}
"""


def box(folder: Path, host: str = "", more: int = 0) -> Report:
    return check(folder, BOX.replace("HOST", host).replace("MORE", str(more)))


def test_a_race_that_needs_a_negative_size_is_conditional(tmp_path: Path):
    """However many sizes there are."""
    (kernel,) = box(tmp_path).kernels
    (race,) = kernel.findings
    assert race.confidence is Confidence.CONDITIONAL
    assert race.condition == "w >= 0 && h >= 0 && d >= 0 && x0 >= 0 && y0 >= 0 && z0 >= 0"


def test_the_host_says_that_no_size_is_negative(tmp_path: Path):
    said = " && ".join(f"n[{i}] >= 0" for i in range(6))
    (kernel,) = box(tmp_path, f"assert({said});").kernels
    assert (kernel.outcome, kernel.findings) == (Outcome.SAFE, ())


def test_a_race_at_sizes_that_are_not_negative_is_shown_with_such_sizes(tmp_path: Path):
    (kernel,) = box(tmp_path, more=40).kernels
    (race,) = kernel.findings
    assert race.confidence is Confidence.DEFINITE
    assert [name for name, value in race.witness.inputs if value < 0] == []


def test_a_race_that_is_known_of_negative_sizes_only_is_not_decided(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Where the solver cannot tell whether there are others, and so finds no precondition."""

    def weaker(query: Query, budget: Budget, session: Session) -> Answer:
        width = next((s for s in query.shared if s.name == "n[0]"), None)
        if width is not None and le(const(0), var(width)) in set(bottom_up(query.between)):
            return Undecided("it is too hard")
        return decide(query, budget, session)

    monkeypatch.setattr("hgrd.solve.decide.decide", weaker)
    (kernel,) = box(tmp_path).kernels
    assert (kernel.outcome, kernel.findings) == (Outcome.UNKNOWN, ())
    (pair,) = kernel.launches[0].open_pairs
    assert pair.reason == "it is found only where a size is negative: n[0], n[3]"


HALO = """
#include <cstdlib>
__global__ void halo(int *out, int width, int r) {
  extern __shared__ int tile[];
  tile[(r + threadIdx.y) * width + r + threadIdx.x] = threadIdx.x;
}
int main(int argc, char **argv) {
  int radius = atoi(argv[1]);
  int *d;
  cudaMalloc(&d, 1024);
  halo<<<1, dim3(16, 16), SHARED>>>(d, 16 + 2 * radius, radius);
}
"""


@pytest.mark.parametrize(
    ("shared", "found"), [("(16 + 2 * radius) * (16 + 2 * radius) * sizeof(int)", {"radius"}), ("4096", set[str]())]
)
def test_what_the_size_of_shared_memory_is_computed_from_is_a_size(
    tmp_path: Path, shared: str, found: set[str]
) -> None:
    protocol = protocols(tmp_path, HALO.replace("SHARED", shared))["halo"]
    assert {s.name for s in sizes(protocol, ())} == found
