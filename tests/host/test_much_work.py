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
SAID = "runs beside none of the 401 grids, copies and fills of the host that use its memory"


@pytest.mark.parametrize(("stream", "assumed"), [("0", []), ("other", [SAID])])
def test_an_order_that_is_too_long_is_assumed(tmp_path: Path, stream: str, assumed: list[str]):
    """In one stream there is nothing to say of it."""
    fills = "cudaMemsetAsync(x, 0, 4096, one);" if assumed else "cudaMemset(x, 0, 4096);"
    text = TEXT.replace("FILLS", "\n  ".join([fills] * 400)).replace("STREAM", stream)
    (kernel,) = check(tmp_path, text).kernels
    assert kernel.outcome is Outcome.SAFE
    assert [f.text for x in kernel.launches for f in x.assumptions if "beside" in f.text] == assumed
