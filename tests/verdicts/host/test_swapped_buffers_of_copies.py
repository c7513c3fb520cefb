"""Copies in kernels from and to buffers that the host swaps: each launch copies from one and to the other."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check, outcomes_of_launches

PROGRAM = """
#include <cuda/pipeline>
#include <cuda_pipeline.h>
__global__ void step(const float *in, float *out) {
  __shared__ float cell[256];
  const float *from = in + blockIdx.x * 256 + 1 + threadIdx.x;
  COPY
  __syncthreads();
  out[blockIdx.x * 256 + threadIdx.x] = cell[255 - threadIdx.x];
}
int main() {
  float *a, *b;
  cudaMalloc(&a, 5000 * sizeof(float)), cudaMalloc(&b, 5000 * sizeof(float));
  for (int t = 0; t < 10; ++t) {
    step<<<16, 256>>>(a, b);
    float *kept = a;
    a = b;
    b = LAST;
  }
}
"""
COPIES = {
    "by a pipeline": "cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline(); pipe.producer_acquire();"
    "cuda::memcpy_async(&cell[threadIdx.x], from, sizeof(float), pipe); pipe.producer_commit(); pipe.consumer_wait();",
    "by primitives": "__pipeline_memcpy_async(&cell[threadIdx.x], from, 4); __pipeline_commit();"
    "__pipeline_wait_prior(0);",
    "at once": "memcpy(&cell[threadIdx.x], from, 4);",
}


@pytest.mark.parametrize("copy", COPIES)
@pytest.mark.parametrize(("last", "outcome"), [("kept", Outcome.SAFE), ("a", Outcome.RACE)])
def test_from_one_to_the_other(tmp_path: Path, copy: str, last: str, outcome: Outcome) -> None:
    """Without the swap, all launches but the first copy from the buffer that they write."""
    report = check(tmp_path, PROGRAM.replace("COPY", COPIES[copy]).replace("LAST", last))
    assert outcomes_of_launches(report) == {outcome}
