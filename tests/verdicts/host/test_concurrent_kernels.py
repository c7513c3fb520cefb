"""Verdicts on kernels that may run beside others: unknown where they use the same elements, else an assumption."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check

SOURCE = """
#include <cuda_runtime.h>
__global__ void put(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = i;
}
int main() {
  float *x; cudaMalloc(&x, 4096);
  cudaStream_t a, b; cudaStreamCreate(&a), cudaStreamCreate(&b);
  put<<<4, 256, 0, a>>>(x, 512);
  put<<<4, 256, 0, %s>>>(%s, 512);
  cudaDeviceSynchronize();
}
"""


@pytest.mark.parametrize(
    ("stream", "pointer", "outcome", "reasons", "assumed"),
    [
        (
            "b",
            "x",
            Outcome.UNKNOWN,
            [
                "kernel 'put' at program.cu:11 may run at the same time and writes 'x', too",
                "kernel 'put' at program.cu:10 may run at the same time and writes 'x', too",
            ],
            [],
        ),
        (
            "b",
            "x + 512",
            Outcome.SAFE,
            [],
            [
                "touches other elements of 'x' than kernel 'put' at program.cu:11, which may run at the same time",
                "touches other elements of 'x' than kernel 'put' at program.cu:10, which may run at the same time",
            ],
        ),
        ("a", "x", Outcome.SAFE, [], []),
    ],
)
def test_two_streams(
    tmp_path: Path, stream: str, pointer: str, outcome: Outcome, reasons: list[str], assumed: list[str]
) -> None:
    kernel = check(tmp_path, SOURCE % (stream, pointer)).kernels[0]
    assert kernel.outcome is outcome
    assert [pair.reason for launch in kernel.launches for pair in launch.open_pairs] == reasons
    found = [fact.text for launch in kernel.launches for fact in launch.assumptions if fact.kind == "assumption"]
    assert found == assumed
