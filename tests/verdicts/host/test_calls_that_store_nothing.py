"""Calls of the runtime that get pointers from an array and store none there: its elements stay different ones."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check, decided, outcomes_of_launches

PROGRAM = """
#include <cuda_runtime.h>
#include <vector>
__global__ void shift(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 1 < n) y[i] = x[i + 1];
}
struct Part { float *u[2]; cudaStream_t s; cudaEvent_t e; };
void seen(float *);
int main(int argc, char **argv) {
  std::vector<Part> parts(argc);
  for (auto &p : parts) {
    for (auto &one : p.u) cudaMalloc(&one, 4096);
    OTHER
    cudaStreamCreate(&p.s); cudaEventCreate(&p.e);
  }
  for (int t = 0; t < 100; t++) {
    for (auto &p : parts) {
      shift<<<4, 256, 0, p.s>>>(p.u[0], p.u[1], 1024);
      CALL
    }
  }
  cudaDeviceSynchronize();
  for (auto &p : parts) { cudaFree(p.u[0]); cudaFree(p.u[1]); cudaStreamDestroy(p.s); cudaEventDestroy(p.e); }
}
"""


@pytest.mark.parametrize(
    ("first", "second", "outcome"),
    [
        ("t & 1", "(t & 1) ^ 1", Outcome.SAFE),
        ("t % 2", "(t + 1) % 2", Outcome.SAFE),
        ("(t + 1) & 1", "t & 1", Outcome.SAFE),
        ("t & 1", "(t + 2) & 1", Outcome.UNKNOWN),
        ("t % 2", "t / 2 % 2", Outcome.UNKNOWN),
    ],
)
def test_buffers_of_a_step_and_of_the_next(tmp_path: Path, first: str, second: str, outcome: Outcome) -> None:
    program = PROGRAM.replace("OTHER", "").replace("CALL", "")
    report = check(tmp_path, program.replace("p.u[0], p.u[1], 1024", f"p.u[{first}], p.u[{second}], 1024"))
    if outcome is Outcome.SAFE:
        assert decided(report) == (1, 1)
    assert outcomes_of_launches(report) == {outcome}


@pytest.mark.parametrize(
    ("other", "call", "outcome"),
    [
        ("", "", Outcome.SAFE),
        ("", "cudaMemsetAsync(p.u[0], 0, 4096, p.s);", Outcome.SAFE),
        ("", "cudaEventRecord(p.e, p.s); cudaStreamWaitEvent(p.s, p.e, 0);", Outcome.SAFE),
        ("", "seen(p.u[0]);", Outcome.UNKNOWN),
        ("if (argc > 3) p.u[1] = p.u[0];", "", Outcome.UNKNOWN),
        ("p.u[1] = parts[0].u[0];", "", Outcome.UNKNOWN),
    ],
)
def test_twins(tmp_path: Path, other: str, call: str, outcome: Outcome) -> None:
    report = check(tmp_path, PROGRAM.replace("OTHER", other).replace("CALL", call))
    if outcome is Outcome.SAFE:
        assert decided(report) == (1, 1)
    assert outcomes_of_launches(report) == {outcome}
