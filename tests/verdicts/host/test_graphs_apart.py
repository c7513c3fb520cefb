"""Two graphs, each of which is captured by itself: what is in one is not compared with what is in the other."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check, decided, outcomes_of_launches

PROGRAM = """
#include <cuda_runtime.h>
__global__ void add(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] += 1; }
__global__ void twice(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= 2; }
int main() {
  float *x; cudaMalloc(&x, 4096); cudaStream_t a, b, c;
  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking); cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&c, cudaStreamNonBlocking);
  cudaEvent_t e; cudaEventCreate(&e); cudaGraph_t one, two; cudaGraphExec_t first, second;
  cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
  add<<<4, 256, 0, a>>>(x, 1024);
  MIDDLE
  twice<<<4, 256, 0, b>>>(x, 1024);
  END
  cudaGraphInstantiate(&first, one, 0); cudaGraphInstantiate(&second, two, 0);
  cudaGraphLaunch(first, c);
  cudaGraphLaunch(second, WHERE);
  cudaDeviceSynchronize();
}
"""
SPLIT = "cudaStreamEndCapture(a, &one); cudaStreamBeginCapture(b, cudaStreamCaptureModeGlobal);"
FORKED = "cudaEventRecord(e, a); cudaStreamWaitEvent(b, e, 0);"
EARLY = "cudaEventRecord(e, a); add<<<4, 256, 0, a>>>(x, 1024); cudaStreamWaitEvent(b, e, 0);"
JOINED = "cudaEventRecord(e, b); cudaStreamWaitEvent(a, e, 0); cudaStreamEndCapture(a, &one); two = one;"


@pytest.mark.parametrize(
    ("middle", "end", "where", "outcomes"),
    [
        (SPLIT, "cudaStreamEndCapture(b, &two);", "c", {Outcome.SAFE}),
        (SPLIT, "cudaStreamEndCapture(b, &two);", "a", {Outcome.UNKNOWN}),
        (FORKED, JOINED, "c", {Outcome.SAFE}),
        (EARLY, JOINED, "c", {Outcome.SAFE, Outcome.RACE}),  # the first launch is before all others
    ],
)
def test_twins(tmp_path: Path, middle: str, end: str, where: str, outcomes: set[Outcome]) -> None:
    program = PROGRAM.replace("MIDDLE", middle).replace("END", end).replace("WHERE", where)
    report = check(tmp_path, program)
    assert decided(report)[0] == decided(report)[1] > 0
    assert outcomes_of_launches(report) == outcomes
