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
    [("0", Outcome.SAFE, []), ("one", Outcome.SAFE, []), ("other", Outcome.RACE, SAID[64:])],
)
def test_all_work_is_compared(tmp_path: Path, stream: str, outcome: Outcome, shared: list[str]):
    fills = "cudaMemsetAsync(x, 0, 4096, one);" if stream != "0" else "cudaMemset(x, 0, 4096);"
    text = TEXT.replace("FILLS", "\n  ".join([fills] * 400)).replace("STREAM", stream)
    (kernel,) = check(tmp_path, text).kernels
    assert kernel.outcome is outcome
    assert [f.text for x in kernel.launches for f in x.assumptions if "beside" in f.text] == []
    assert [p.reason for x in kernel.launches for p in x.open_pairs] == shared


NESTED = """
__global__ void add(float *x) { x[threadIdx.x] += 1; }
int main(int argc, char **argv) {
  int n = argc * 30;
  float *x;
  cudaMalloc(&x, 4096);
  cudaStream_t one, other;
  cudaStreamCreate(&one);
  cudaStreamCreate(&other);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++) {
        FILLS
        BEFORE
        add<<<1, 64, 0, STREAM>>>(x);
        AFTER
      }
}
"""
WAITS = "cudaStreamSynchronize(one);", "cudaStreamSynchronize(other);"


@pytest.mark.parametrize(
    ("stream", "waits", "outcome", "beside"),
    [
        ("one", ("", ""), Outcome.SAFE, 0),
        ("other", WAITS, Outcome.SAFE, 0),
        ("other", (WAITS[0], ""), Outcome.UNKNOWN, 40),  # the fills of the next iteration
        ("other", ("", WAITS[1]), Outcome.RACE, 32),  # eight are shown to race
    ],
)
def test_work_in_many_iterations_is_compared_in_any_two(
    tmp_path: Path, stream: str, waits: tuple[str, str], outcome: Outcome, beside: int
):
    text = NESTED.replace("FILLS", "\n".join(["cudaMemsetAsync(x, 0, 4096, one);"] * 40)).replace("STREAM", stream)
    (kernel,) = check(tmp_path, text.replace("BEFORE", waits[0]).replace("AFTER", waits[1])).kernels
    assert kernel.outcome is outcome
    assert [f.text for x in kernel.launches for f in x.assumptions if "same time" in f.text] == []
    assert len([p for x in kernel.launches for p in x.open_pairs]) == beside
