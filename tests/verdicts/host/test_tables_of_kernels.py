"""Kernels in tables: which of them a launch can be of."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check

PROGRAM = """
#include <array>
#include <cstdlib>
using Kernel = void (*)(const float *, float *, int);
__global__ void twice(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
}
__global__ void next(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 1 < n) out[i] = in[i + 1];
}
GLOBAL
int main(int argc, char **argv) {
  LOCAL
  const int mode = argc > 1 ? std::atoi(argv[1]) : 0;
  if (mode < 0 || mode >= MODES) return 1;
  float *d;
  cudaMalloc(&d, 4096);
  kernels[mode]<<<8, 128>>>(d, d, 1024);
}
"""
TABLES = (
    "static const Kernel kernels[2] = {twice, next};",
    "static const std::array<Kernel, 2> kernels{twice, next};",
)


@pytest.mark.parametrize("local", (False, True))
@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize(("modes", "launched"), ((1, {"twice"}), (2, {"twice", "next"})))
def test_launched(modes: int, launched: set[str], table: str, local: bool, tmp_path: Path) -> None:
    text = PROGRAM.replace("MODES", str(modes)).replace("LOCAL" if local else "GLOBAL", table)
    report = check(tmp_path, text.replace("LOCAL", "").replace("GLOBAL", ""))
    seen = {k.kernel: k.outcome for k in report.kernels if k.launches[0].launch_span is not None}
    assert seen == {name: Outcome.RACE if name == "next" else Outcome.SAFE for name in launched}
