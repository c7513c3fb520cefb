"""A stream that waits for the events of all others in a loop: it waits alone, and only for these events."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check, decided, outcomes_of_launches

PROGRAM = """
#include <cuda_runtime.h>
#include <vector>
__global__ void advance(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] += 1; }
struct Domain { float *u; cudaStream_t comp, xfer; cudaEvent_t done, halo; };
int main(int argc, char **argv) {
  std::vector<Domain> dom(argc);
  for (auto &d : dom) {
    cudaMalloc(&d.u, 4096); cudaEventCreate(&d.done); cudaEventCreate(&d.halo);
    cudaStreamCreateWithFlags(&d.comp, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&d.xfer, cudaStreamNonBlocking);
  }
  float *v; cudaMalloc(&v, 4096);
  for (int t = 0; t < STEPS; t++) {
    for (auto &d : dom) {
      BEFORE
      advance<<<4, 256, 0, d.comp>>>(d.u, 1024);
      cudaEventRecord(d.done, d.comp);
    }
    for (int k = 0; k + 1 < argc; k++) {
      WAIT
      cudaMemcpyAsync(v + k, dom[k + 1].u, 4, cudaMemcpyDeviceToDevice, dom[k].xfer);
      cudaEventRecord(dom[k].halo, dom[k].xfer);
    }
  }
  cudaDeviceSynchronize();
}
"""
ALL = "for (auto &o : dom) cudaStreamWaitEvent({}, o.{}, 0);"
OF_NEXT = "cudaStreamWaitEvent(dom[k].xfer, dom[k + 1].done, 0);"
OF_ITSELF = "cudaStreamWaitEvent(dom[k].xfer, dom[k].done, 0);"
ALL_HALOS = ALL.format("d.comp", "halo")


@pytest.mark.parametrize("steps", ["1", "500"])
@pytest.mark.parametrize(
    ("before", "wait", "outcome"),
    [
        (ALL_HALOS, OF_NEXT, Outcome.SAFE),
        (ALL_HALOS, ALL.format("dom[k].xfer", "done"), Outcome.SAFE),
        (ALL_HALOS, OF_ITSELF, Outcome.RACE),
        (ALL_HALOS, ALL.format("dom[k].comp", "done"), Outcome.RACE),
        (ALL_HALOS, ALL.format("dom[0].xfer", "done"), Outcome.RACE),
        (ALL_HALOS, ALL.format("dom[k].xfer", "halo"), Outcome.RACE),
    ],
)
def test_twins(tmp_path: Path, steps: str, before: str, wait: str, outcome: Outcome) -> None:
    report = check(tmp_path, PROGRAM.replace("STEPS", steps).replace("BEFORE", before).replace("WAIT", wait))
    assert decided(report) == (2, 2)
    assert outcomes_of_launches(report) == {outcome}
