"""Host code that is not followed for lack of time: its launches are not those that a kernel alone is judged by."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check

TEXT = """
__global__ void launched(int *a) { a[blockIdx.x * blockDim.x + threadIdx.x] += 1; }
__global__ void never(int *a) { a[blockIdx.x * blockDim.x + threadIdx.x] += 1; }
int main() {
  int *a;
  cudaMalloc(&a, 4096);
  launched<<<1, dim3(32, 2)>>>(a);
}
"""


@pytest.mark.parametrize(
    ("share", "outcome", "reasons"),
    [
        (4, Outcome.RACE, set[str]()),
        (1 << 40, Outcome.UNKNOWN, {"the time limit was reached: main is not followed whole, and may launch it"}),
    ],
)
def test_a_launch_that_was_not_come_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, share: int, outcome: Outcome, reasons: set[str]
):
    monkeypatch.setattr("hgrd.engine.analysis.program._HOST_SHARES", (share, 2))
    kernels = {k.kernel: k for k in check(tmp_path, TEXT).kernels}
    assert {name: k.outcome for name, k in kernels.items()} == {"launched": outcome, "never": Outcome.SAFE}
    assert {pair.reason for x in kernels["launched"].launches for pair in x.open_pairs} == reasons
