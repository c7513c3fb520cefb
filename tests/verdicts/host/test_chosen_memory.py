"""Memory that work at the same time gets from lists, by pointers of which nothing is known, and in ranges."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check

PROGRAM = """
#include <map>
#include <vector>
__global__ void add(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += n;
}
__global__ void update(float *x, int first, int last) {
  int i = first + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < last) x[i] = 2 * x[i];
}

int main(int argc, char **argv) {
  std::vector<cudaStream_t> s(4);
  std::vector<float *> x(4);
  float *all;
  cudaMalloc(&all, 4000 * sizeof(float));
  for (int k = 0; k < 4; k++) {
    cudaStreamCreate(&s[k]);
    cudaMalloc(&x[k], 4096);
  }
  for (int i = 0; i < 16; i++) { BODY }
}
"""


@pytest.mark.parametrize(
    ("racy", "correct", "name", "outcome"),
    (
        (
            "add<<<4, 256, 0, s[i % 4]>>>(x[i % 3], 1024);",
            "add<<<4, 256, 0, s[i % 4]>>>(x[i % 4], 1024);",
            "x",
            Outcome.RACE,
        ),
        (
            "add<<<4, 256, 0, s[i % 4]>>>(x[argc], 1024);",
            "add<<<4, 256, 0, s[0]>>>(x[argc], 1024);",
            "",
            Outcome.UNKNOWN,
        ),
        (
            "if (i < 4) update<<<4, 256, 0, s[i]>>>(all, i * 1000, i * 1000 + 1001);",
            "if (i < 4) update<<<4, 256, 0, s[i]>>>(all, i * 1000, i * 1000 + 1000);",
            "all",
            Outcome.RACE,
        ),
    ),
)
def test_twins(racy: str, correct: str, name: str, outcome: Outcome, tmp_path: Path) -> None:
    launched = {}
    for body in (racy, correct):
        (kernel,) = (k for k in check(tmp_path, PROGRAM.replace("BODY", body)).kernels if k.launches[0].launch_span)
        launched[body] = kernel
    reasons = {pair.reason for launch in launched[racy].launches for pair in launch.open_pairs}
    assert launched[racy].outcome is outcome
    assert all(f"may run at the same time and writes '{name}" in reason for reason in reasons)
    assert launched[correct].outcome is Outcome.SAFE
