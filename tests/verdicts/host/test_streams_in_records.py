"""Two streams in each record of a container: two, unless the program stores one at both places."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check, decided, outcomes_of_launches

PROGRAM = """
#include <cuda_runtime.h>
#include <vector>
__global__ void advance(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] += 1; }
struct Domain { float *u; cudaStream_t comp, xfer; };
int main(int argc, char **argv) {
  std::vector<Domain> dom(argc);
  for (auto &d : dom) {
    cudaMalloc(&d.u, 4096);
    cudaStreamCreateWithFlags(&d.comp, cudaStreamNonBlocking);
    OTHER
  }
  float *v; cudaMalloc(&v, 4096);
  for (int k = 0; k < argc; k++) {
    advance<<<4, 256, 0, dom[k].comp>>>(dom[k].u, 1024);
    cudaMemcpyAsync(v + k, dom[k].u, 4, cudaMemcpyDeviceToDevice, dom[k].WHERE);
  }
  cudaDeviceSynchronize();
}
"""
NEW = "cudaStreamCreateWithFlags(&d.xfer, cudaStreamNonBlocking);"


@pytest.mark.parametrize(
    ("other", "where", "outcome"),
    [
        (NEW, "comp", Outcome.SAFE),
        (NEW, "xfer", Outcome.RACE),
        ("d.xfer = d.comp;", "xfer", Outcome.UNKNOWN),
        (f"if (argc > 4) d.xfer = d.comp; else {NEW}", "xfer", Outcome.UNKNOWN),
        ("cudaStream_t s = d.comp; d.xfer = s;", "xfer", Outcome.UNKNOWN),
    ],
)
def test_twins(tmp_path: Path, other: str, where: str, outcome: Outcome) -> None:
    report = check(tmp_path, PROGRAM.replace("OTHER", other).replace("WHERE", where))
    assert decided(report) == (2, 2)
    assert outcomes_of_launches(report) == {outcome}
