"""What wraps around at small sizes is decided case by case: where it wraps, and where it does not."""

from __future__ import annotations

from pathlib import Path

from hgrd.cuda.memory_model import Level, Space
from hgrd.findings.model import Confidence, Outcome
from tests.checking import check, decided

# `size / 4 - 1` is all ones for sizes below 4: then every thread has the element of its index.
MASKED = """
__global__ void masked(int *a, unsigned size) {
  __requires((size & (size - 1)) == 0);
  unsigned mask = size / 4 - 1;
  unsigned pos = 2 * threadIdx.x - (threadIdx.x & mask);
  a[pos] = 0;
  a[pos + size / 4] = threadIdx.x;
}
"""
OPTIONS = {"block_dim": (64, 1, 1), "grid_dim": (1, 1, 1)}


def test_both_cases_are_safe(tmp_path: Path):
    report = check(tmp_path, MASKED, **OPTIONS)
    (kernel,) = report.kernels
    assert kernel.outcome is Outcome.SAFE
    assert decided(report) == (3, 3)
    assumed = [use.text for launch in kernel.launches for use in launch.assumptions]
    assert not any(text.startswith("size / 4 - 1 does not leave") for text in assumed)


def test_the_case_that_wraps_races(tmp_path: Path):
    """With another place for the threads that have all ones for a mask, two of them meet."""
    twin = MASKED.replace("threadIdx.x & mask)", "(mask > 64 ? 2 * threadIdx.x : threadIdx.x & mask))")
    (kernel,) = check(tmp_path, twin, any_arguments=True, **OPTIONS).kernels
    assert kernel.outcome is Outcome.RACE
    assert {f.confidence for f in kernel.findings} <= {Confidence.DEFINITE, Confidence.CONFIRMED}
    assert all(dict(f.witness.inputs)["size"] < 4 for f in kernel.findings)


# `v <= values[2]` fails for c in 0..3 alone, where `c - 4` wraps, and only then is it the shared array that is written.
CHOSEN = """
__global__ void chosen(int *a, int n, short c) {
  int t = threadIdx.x, b = blockIdx.x;
  int g = ((b * (int)blockDim.x) + t);
  int z = 1;
  unsigned v = (c - 4);
  int values[4] = {0, 1, c, t};
  __shared__ int s[512];
  if (g == t) return;
  int *p = v <= values[2] ? a + 64 : s + 64;
  p[(63 - g)] = n;
  z += ((unsigned char *)s)[256 + (63 - g)];
}
"""


def test_a_wrap_at_small_sizes_that_few_launches_show(tmp_path: Path):
    (kernel,) = check(tmp_path, CHOSEN).kernels
    (finding,) = [f for f in kernel.findings if f.space is Space.SHARED]
    assert set(finding.levels) == {Level.INTRA_WARP, Level.INTRA_BLOCK}


# Where `n` is -1 all threads meet; that they stay within `s` takes longer to see, as `n * 2` is unsigned between.
NEGATIVE = """
__device__ void put(int *p, int at, int what) { p[at] = what; }

__global__ void negative(int n, short c) {
  int t = threadIdx.x;
  int g = blockIdx.x * (int)blockDim.x + t;
  unsigned v = (c & 31) * (n & 31);
  __shared__ int s[512];
  for (int i = 1; i < 2; i++) {
    put(s + 64, (((g & 63) ^ 2) != c ? (n * 2) : v), 1);
  }
  s[64 + (t * n + t)] += 16;
}
"""


def test_a_wrap_of_a_small_negative_number(tmp_path: Path):
    (kernel,) = check(tmp_path, NEGATIVE, levels=(Level.INTRA_WARP,), any_arguments=True).kernels
    met = {(f.first.span.line, f.second.span.line) for f in kernel.findings if not f.same_value}
    assert met == {(2, 12), (12, 12)}
