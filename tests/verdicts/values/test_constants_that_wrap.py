"""Negative constants in unsigned variables: they surely come round, and nothing rests on that they do not."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check

TEXT = """
__global__ void ranks(int *p, int n) {
  int t = threadIdx.x;
  unsigned limit = t < n ? LIMIT : -1;
  unsigned rank = __popc(__ballot_sync(0xffffffffu, limit > t) & ((1u << (t & 31)) - 1));
  p[rank] = t;
}
int main() {
  int *p;
  cudaMalloc(&p, 128);
  ranks<<<1, 32>>>(p, 5);
}
"""


@pytest.mark.parametrize(("limit", "safe"), [("4", False), ("5", True)])
def test_ranks_of_lanes_that_vote(tmp_path: Path, limit: str, safe: bool) -> None:
    # all lanes below their limits vote, and their ranks differ; with 4, lane 4 does not, and has the rank of lane 5
    (kernel,) = check(tmp_path, TEXT.replace("LIMIT", limit)).kernels
    (launch,) = kernel.launches
    assert launch.pairs == 1
    assert (launch.outcome is Outcome.SAFE, launch.discharged) == (safe, int(safe))
    assert not any("unsigned" in a.text for a in launch.assumptions)
