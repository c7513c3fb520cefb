"""Programs that are too large to be followed whole: each function's launches are judged for all of its calls."""

from __future__ import annotations

from pathlib import Path

import pytest

from hgrd.engine.analysis.program import analyze
from hgrd.findings.options import AnalysisOptions
from tests.checking import observed, parse

PROGRAM = """
__global__ void apart(int *a, int n) {
  if (threadIdx.x < n) a[threadIdx.x] = n;
}

__global__ void same(int *a, int n) {
  a[0] = threadIdx.x;  // write
}

__global__ void shift(int *a, const int *b) {
  a[threadIdx.x] = b[threadIdx.x + 1];
}

void run_apart(int *a, int n) { apart<<<1, 64>>>(a, n); }
void run_same(int *a, int n) { same<<<1, 64>>>(a, n); }
void run_shift(int *a, int *b) { shift<<<1, 64>>>(a, b); }

int main() {
  int *a, *b, v = 0;
  cudaMalloc(&a, 4096);
  cudaMalloc(&b, 4096);
  v = v * 3 + 1;
  run_apart(a, 1);
  run_same(a, 1);
  run_shift(a, %s);
}
"""


@pytest.mark.parametrize(("second", "alias"), [("b", False), ("a", True)])
def test_functions_behind_a_large_part_are_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, second: str, alias: bool
) -> None:
    text = (PROGRAM % second).replace("v = v * 3 + 1;", "v = v * 3 + 1;" * 300)
    monkeypatch.setattr("hgrd.host.run.STEPS", 300)
    found = observed(analyze((parse(tmp_path, text),), AnalysisOptions()), text)
    assert found["apart"] == ["safe: 1 of 1 pairs"]
    assert found["same"] == ["race: write write, write write; global; warp block"]
    assert found["shift"] == (["open: a and b: they may be the same memory"] if alias else ["safe: 1 of 1 pairs"])
