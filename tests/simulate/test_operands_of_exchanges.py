"""Exchanges whose place and operands functions of the program give: `at(i).compare_exchange_weak(old, more(old))`."""

from math import inf
from pathlib import Path

import pytest

from hgrd.engine.analysis.program import analyze
from hgrd.engine.analysis.replay import LateReplayer
from hgrd.findings.model import CONFIRMED
from hgrd.findings.options import AnalysisOptions
from tests.checking import parse

PROGRAM = """
#include <cuda/atomic>
#include <cuda_runtime.h>
struct Cells {
  int *p;
  __device__ cuda::atomic_ref<int, cuda::thread_scope_device> at(int i) const {
    for (int k = 0; k < 2; k++) if (i < 0) i++;
    return cuda::atomic_ref<int, cuda::thread_scope_device>(p[i]);
  }
};
__device__ int more(int x) { while (x < 0) x++; return x + 1; }
__global__ void count(Cells c) {
  int old = READ;
  while (!c.at(threadIdx.x / 2).compare_exchange_OF(old, DESIRED, cuda::memory_order_relaxed)) {}
}
int main() {
  int *p;
  cudaMalloc(&p, 256);
  cudaMemset(p, 0, 256);
  count<<<1, 64>>>(Cells{p});
}
"""


@pytest.mark.parametrize("desired", ["more(old)", "old + 1"])
@pytest.mark.parametrize("of", ["weak", "strong"])
def test_a_plain_read_beside_them_is_seen(tmp_path: Path, of: str, desired: str) -> None:
    for read, racy in (("c.p[threadIdx.x / 2]", True), ("c.at(threadIdx.x / 2).load()", False)):
        text = PROGRAM.replace("READ", read).replace("_OF", f"_{of}").replace("DESIRED", desired)
        (kernel,) = analyze((parse(tmp_path, text),), AnalysisOptions(), LateReplayer(inf)).kernels
        first, second = (1 + text[: text.index(part)].count("\n") for part in ("int old", "while (!c"))
        found = [(f.first.span.line, f.second.span.line, f.replay) for f in kernel.findings]
        assert found == ([(first, second, CONFIRMED)] if racy else [])
        assert all(launch.discharged == launch.pairs for launch in kernel.launches if not racy)
