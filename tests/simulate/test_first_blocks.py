"""Large launches that a run of the program watches: races among the first blocks are shown before all others run."""

from math import inf
from pathlib import Path

import pytest

from hgrd.engine.analysis.program import analyze
from hgrd.engine.analysis.replay import LateReplayer
from hgrd.findings.model import CONFIRMED
from hgrd.findings.options import AnalysisOptions
from hgrd.simulate.program_run import kernel_runs
from tests.checking import parse

PROGRAM = """
#include <cuda_runtime.h>
#include <vector>
__global__ void scatter(const int *to, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[to[i]] += i;
}
int main() {
  const int n = 200000;
  std::vector<int> to(n);
  unsigned s = 7;
  for (int i = 0; i < n; i++) {
    s = s * 1664525u + 1013904223u;
    to[i] = SPREAD;
  }
  int *d, *out;
  cudaMalloc(&d, n * 4), cudaMalloc(&out, n * 4);
  cudaMemset(out, 0, n * 4);
  cudaMemcpy(d, to.data(), n * 4, cudaMemcpyHostToDevice);
  scatter<<<(n + 127) / 128, 128>>>(d, out, n);
}
"""


@pytest.mark.parametrize(("spread", "runs"), [("(s >> 8) % 700", 1), ("i < 190000 ? i : (int)(s >> 8) % 700", 2)])
def test_first_blocks_come_first(tmp_path: Path, spread: str, runs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[int] = []
    execute = kernel_runs._execute  # pyright: ignore[reportPrivateUsage]

    def watched(run: kernel_runs._Run) -> object:  # pyright: ignore[reportPrivateUsage]
        ran.append(run.launch.blocks)
        return execute(run)

    monkeypatch.setattr(kernel_runs, "_execute", watched)
    text = PROGRAM.replace("SPREAD", spread)
    (kernel,) = analyze((parse(tmp_path, text),), AnalysisOptions(), LateReplayer(inf)).kernels
    line = 1 + text[: text.index("out[to[i]]")].count("\n")
    found = {(f.first.span.line, f.second.span.line, f.replay) for f in kernel.findings}
    assert found == {(line, line, CONFIRMED)}
    assert ran == [12, 1563][:runs]
