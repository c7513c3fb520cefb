"""Programs that put much work on the device."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check

TEXT = """
__global__ void add(float *x) { x[threadIdx.x] += 1; }
int main() {
  float *x, *y;
  cudaMalloc(&x, 4096);
  cudaMalloc(&y, 4096);
  cudaStream_t one, other;
  cudaStreamCreate(&one);
  cudaStreamCreate(&other);
  FILLS
  add<<<1, 64, 0, STREAM>>>(x);
  cudaDeviceSynchronize();
}
"""
SAID = [f"the fill at program.cu:{line} may run at the same time and writes 'x', too" for line in range(10, 410)]


@pytest.mark.parametrize(
    ("stream", "outcome", "shared"),
    [("0", Outcome.SAFE, []), ("one", Outcome.SAFE, []), ("other", Outcome.RACE, SAID[4:])],
)
def test_all_work_is_compared(tmp_path: Path, stream: str, outcome: Outcome, shared: list[str]):
    fills = "cudaMemsetAsync(x, 0, 4096, one);" if stream != "0" else "cudaMemset(x, 0, 4096);"
    text = TEXT.replace("FILLS", "\n  ".join([fills] * 400)).replace("STREAM", stream)
    (kernel,) = check(tmp_path, text).kernels
    assert kernel.outcome is outcome
    assert [f.text for x in kernel.launches for f in x.assumptions if "beside" in f.text] == []
    assert [p.reason for x in kernel.launches for p in x.open_pairs] == shared
