"""Conflicts in iterations that nobody makes, where an index has wrapped around: signed arithmetic does not."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check

CELLS = """
__global__ void cells(int *a, const int *in) {
  int t = threadIdx.x;
  a[t] = 0;
  for (TYPE i = FIRST; i < in[0]; i++) a[9 + t + i * STEP] = 1;
}
int main() {
  int *a, *in;
  cudaMalloc(&a, 4096);
  cudaMalloc(&in, 4);
  cells<<<1, 8>>>(a, in);
}
"""


@pytest.mark.parametrize(
    ("first", "step", "type_", "found"),
    [
        (0, 8, "int", []),  # i * 8 is -8 only where it has wrapped
        (-1, 8, "int", [(4, 5)]),
        (0, -8, "int", [(4, 5)]),
        (0, "0xfffffff8u", "unsigned", [(4, 5)]),  # it wraps at once
    ],
)
def test_an_iteration_that_wraps(tmp_path: Path, first: int, step: int | str, type_: str, found: list[tuple[int, int]]):
    text = CELLS.replace("FIRST", str(first)).replace("STEP", str(step)).replace("TYPE", type_)
    (kernel,) = check(tmp_path, text).kernels
    (launch,) = kernel.launches
    assert [(f.first.span.line, f.second.span.line) for f in launch.findings] == found
    assert (kernel.outcome, launch.pairs, launch.open_pairs) == (Outcome.RACE if found else Outcome.SAFE, 3, ())
    assumed = [a.text for a in launch.assumptions]
    assert ("i# * 8 does not leave 32 bits signed" in assumed) is not bool(found)


HOSTED = """
__global__ void thirds(int *a, int n, int least) {
  if (threadIdx.x == 0) a[n < least ? 100 : n] = 1;
  if (threadIdx.x == 1) a[0] = 2;
}
void run(int p) {
  int *a;
  cudaMalloc(&a, 4096);
  if (p >= FIRST) thirds<<<1, 8>>>(a, p * 4 / 3, 0);
}
"""


@pytest.mark.parametrize(("first", "found"), [(5, []), (0, [(3, 4)])])
def test_host_arithmetic_that_wraps(tmp_path: Path, first: int, found: list[tuple[int, int]]):
    (kernel,) = check(tmp_path, HOSTED.replace("FIRST", str(first))).kernels
    (launch,) = kernel.launches
    assert [(f.first.span.line, f.second.span.line) for f in launch.findings] == found
    assert (launch.pairs, launch.open_pairs) == (3, ())
    assert ("p * 4 does not leave 32 bits signed" in [a.text for a in launch.assumptions]) is not bool(found)
