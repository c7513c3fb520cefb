"""Kernels of programs that were not followed to their launches: a race that a launch may avoid is conditional."""

from __future__ import annotations

from pathlib import Path

import pytest

from hgrd.engine.analysis.program import analyze
from hgrd.findings.model import Confidence, Finding
from hgrd.findings.options import AnalysisOptions
from tests.checking import parse

PROGRAM = """
#include <cuda_runtime.h>
__global__ void k(int *a, int n) {
  __shared__ int s[1024];
BODY
}
int main() {
  int *a, v = 0;
  cudaMalloc(&a, 4096);
LONG
  k<<<1, 64>>>(a, 64);
}
"""


def races(folder: Path, body: str, monkeypatch: pytest.MonkeyPatch, *, cut: bool) -> list[tuple[Confidence, str]]:
    text = PROGRAM.replace("BODY", body).replace("LONG", "v = v * 3 + 1;" * 300)
    if cut:
        monkeypatch.setattr("hgrd.host.run.STEPS", 300)
    (kernel,) = analyze((parse(folder, text),), AnalysisOptions()).kernels
    return [(f.confidence, _unseen(f)) for f in kernel.findings]


def _unseen(finding: Finding) -> str:
    return finding.provided.partition(":")[0]


AVOIDED = [
    "a[threadIdx.x] = blockIdx.x;",
    "a[threadIdx.x / n] = threadIdx.x;",
    "if (threadIdx.y < n) a[threadIdx.x] = threadIdx.y;",
    "if (threadIdx.x < n) a[threadIdx.x % 7] = threadIdx.x;",
]


@pytest.mark.parametrize("body", AVOIDED)
def test_a_race_that_a_launch_may_avoid(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str) -> None:
    found = races(tmp_path, body, monkeypatch, cut=True)
    assert found
    assert {confidence for confidence, _ in found} == {Confidence.CONDITIONAL}


@pytest.mark.parametrize(
    "body",
    [
        "a[0] = threadIdx.x;",
        "s[threadIdx.x] = 3 * threadIdx.x; a[threadIdx.x + blockIdx.x * blockDim.x] = s[blockDim.x - 1 - threadIdx.x];",
    ],
)
def test_a_race_of_any_launch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str) -> None:
    """Beside those that blocks of one row avoid."""
    assert (Confidence.DEFINITE, "") in races(tmp_path, body, monkeypatch, cut=True)


def test_what_a_launch_says_that_was_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = races(tmp_path, AVOIDED[3], monkeypatch, cut=False)
    assert found == [(Confidence.DEFINITE, "")]
    assert races(tmp_path, AVOIDED[0], monkeypatch, cut=False) == []
