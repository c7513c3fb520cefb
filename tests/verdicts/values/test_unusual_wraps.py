"""Conflicts in iterations that nobody makes, where an index has wrapped around: signed arithmetic does not."""

from pathlib import Path

import pytest

from hgrd.findings.model import Confidence, Outcome
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


UNSIGNED = """
__global__ void shifted(TYPE c) {
  __shared__ int s[512];
  int g = blockIdx.x + threadIdx.x;
  int z = s[64 + (g + CONVERTED)];
  if (threadIdx.x == 0) s[64] = 7;
  if (z == 12345) __trap();
}
CALLER
"""
CHECKED = "void run(int p) { if (p >= 0 && p < 100) shifted<<<4 * p + 4, 64>>>(p); }"


@pytest.mark.parametrize(
    ("type_", "converted", "caller", "found"),
    [
        ("short", "(unsigned)c", "", Confidence.CONDITIONAL),  # -1 becomes 2**32 - 1, and 63 + g the index
        ("int", "(unsigned)c", "", Confidence.DEFINITE),
        ("int", "(unsigned long)c", "", Confidence.CONDITIONAL),
        ("const int *", "(unsigned)c[0]", "", Confidence.DATA_DEPENDENT),
        ("unsigned", "c", "", None),  # only a huge number wraps
        ("unsigned short", "(unsigned)c", "", None),
        ("int", "(unsigned)c", CHECKED, None),
    ],
)
def test_a_negative_number_that_becomes_unsigned(
    tmp_path: Path, type_: str, converted: str, caller: str, found: Confidence | None
):
    """It wraps around in launches of any size: no proof may assume that it does not."""
    text = UNSIGNED.replace("TYPE", type_).replace("CONVERTED", converted).replace("CALLER", caller)
    (kernel,) = check(tmp_path, text).kernels
    (launch,) = kernel.launches
    races = [(f.first.span.line, f.second.span.line, f.confidence) for f in launch.findings]
    assert races == ([(5, 6, found)] if found else [])
    assert (kernel.outcome, launch.pairs, launch.open_pairs) == (Outcome.RACE if found else Outcome.SAFE, 2, ())
