"""Replays of what the block does that comes last: all others have been counted before."""

from math import inf
from pathlib import Path

import pytest

from hgrd.engine.analysis.program import analyze
from hgrd.engine.analysis.replay import LateReplayer
from hgrd.findings.model import CONFIRMED, Confidence, Outcome
from hgrd.findings.options import AnalysisOptions
from tests.checking import parse

PROGRAM = """
#include <cuda_runtime.h>
__device__ unsigned all_counted;
__global__ void total(float *parts, const float *in, unsigned *counted, float *out) {
  __shared__ bool last;
  float v = in[blockIdx.x * blockDim.x + threadIdx.x];
  for (int o = 16; o > 0; o /= 2) v += __shfl_down_sync(0xffffffffu, v, o);
  if (threadIdx.x % 32 == 0) parts[blockIdx.x * 4 + threadIdx.x / 32] = v;
  __threadfence();
  BARRIER
  if (threadIdx.x == 0) {
    last = ARRIVES;
    __threadfence();
  }
  __syncthreads();
  if (!last) return;
  float sum = 0;
  for (int i = threadIdx.x; i < gridDim.x * 4; i += blockDim.x) sum += parts[i];
  atomicAdd(out, sum);
}
int main() {
  float *parts, *in, *out;
  unsigned *counted;
  cudaMalloc(&parts, 480 * sizeof(float)), cudaMalloc(&in, 15360 * sizeof(float)), cudaMalloc(&out, sizeof(float));
  cudaMalloc(&counted, 64 * sizeof(unsigned));
  cudaMemset(counted, 0, 64 * sizeof(unsigned));
  total<<<120, 128>>>(parts, in, counted, out);
}
"""
ARRIVES = (
    "atomicAdd(counted, 1u) == gridDim.x - 1",
    "atomicInc(counted + 3, gridDim.x) == gridDim.x - 1",
    "atomicAdd(&all_counted, 1u) + 1 == gridDim.x",
)


@pytest.mark.parametrize("arrives", ARRIVES)
def test_a_race_with_the_last_block_is_replayed(tmp_path: Path, arrives: str) -> None:
    text = PROGRAM.replace("ARRIVES", arrives).replace("BARRIER", "")
    report = analyze((parse(tmp_path, text),), AnalysisOptions(), LateReplayer(inf))
    lines = text.splitlines()
    (write,) = (n for n, line in enumerate(lines, 1) if "] = v;" in line)
    (read,) = (n for n, line in enumerate(lines, 1) if "sum +=" in line)
    found = [(f.first.span.line, f.second.span.line, f.confidence, f.replay) for f in report.kernels[0].findings]
    assert found == [(write, read, Confidence.DATA_DEPENDENT, CONFIRMED)]


@pytest.mark.parametrize("arrives", ARRIVES)
def test_with_a_barrier_before_there_is_none(tmp_path: Path, arrives: str) -> None:
    text = PROGRAM.replace("ARRIVES", arrives).replace("BARRIER", "__syncthreads();")
    (kernel,) = analyze((parse(tmp_path, text),), AnalysisOptions(), LateReplayer(inf)).kernels
    (launch,) = kernel.launches
    assert (kernel.outcome, launch.findings, launch.pairs - launch.discharged) == (Outcome.SAFE, (), 0)
    assert launch.pairs > 3


@pytest.mark.parametrize("arrives", [f"atomicAdd(counted, 1u) + {n} == gridDim.x" for n in (0, 2)])
def test_another_number_of_blocks_does_not_say_that_all_have_been_there(tmp_path: Path, arrives: str) -> None:
    text = PROGRAM.replace("ARRIVES", arrives).replace("BARRIER", "__syncthreads();")
    (kernel,) = analyze((parse(tmp_path, text),), AnalysisOptions()).kernels
    assert kernel.outcome is not Outcome.SAFE
