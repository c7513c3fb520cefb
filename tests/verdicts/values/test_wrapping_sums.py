"""Contents that are so large that sums of them wrap around are not supposed for a race."""

from pathlib import Path

import pytest

from hgrd.findings.model import Confidence
from tests.checking import check

SOURCE = """
__global__ void shorten(unsigned *cost, int n, int via) {
  __requires(0 <= via && via < n);
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= n) return;
  unsigned around = cost[x] + cost[via];
  if (around LESS cost[x]) cost[x] = around;
}
__global__ void gather(int *sums, const unsigned *count) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  int own = count[t];
  if (own < 0) sums[t / 2] = t;
}
__global__ void hashed(int *table, const unsigned *keys, unsigned size) {
  __requires(size > 1000);
  unsigned key = keys[threadIdx.x];
  if (key > 0x70000000u) table[key * 2654435761u % size] = threadIdx.x;
}
"""
LARGE = "it is found only where sums of contents wrap around"


@pytest.mark.parametrize(
    ("kernel", "change", "found"),
    [
        ("shorten", ("LESS", "<"), []),
        ("shorten", ("LESS", "<="), [Confidence.DATA_DEPENDENT]),  # a cost of 0 is all that it needs
        ("gather", ("LESS", "<"), []),
        ("gather", ("own < 0", "own < 1"), [Confidence.DATA_DEPENDENT]),
        ("gather", ("const unsigned *count", "const int *count"), [Confidence.DATA_DEPENDENT]),
        ("hashed", ("LESS", "<"), [Confidence.DATA_DEPENDENT]),
    ],
)
def test_sums_of_contents(tmp_path: Path, kernel: str, change: tuple[str, str], found: list[Confidence]) -> None:
    text = SOURCE.replace(*change).replace("LESS", "<")
    (launch,) = next(k for k in check(tmp_path, text).kernels if k.kernel == kernel).launches
    assert [f.confidence for f in launch.findings if not f.same_value] == found
    assert {p.reason.partition(": ")[0] for p in launch.open_pairs} == (set() if found else {LARGE})
