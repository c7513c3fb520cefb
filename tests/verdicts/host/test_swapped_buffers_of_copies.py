"""Copies in kernels from and to buffers that the host swaps: each launch copies from one and to the other."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check, decided, outcomes_of_launches

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


PAIRS = {"by a pipeline": (11, 8), "by primitives": (11, 8), "at once": (6, 4)}  # with the swap, and without it
LEFT = {"by a pipeline": 2, "by primitives": 2, "at once": 1}  # that race without it


@pytest.mark.parametrize("copy", COPIES)
@pytest.mark.parametrize("swaps", [True, False])
def test_from_one_to_the_other(tmp_path: Path, copy: str, swaps: bool) -> None:
    """Without the swap, all launches but the first copy from the buffer that they write."""
    report = check(tmp_path, PROGRAM.replace("COPY", COPIES[copy]).replace("LAST", "kept" if swaps else "a"))
    assert outcomes_of_launches(report) == {Outcome.SAFE if swaps else Outcome.RACE}
    pairs = PAIRS[copy][not swaps]
    assert decided(report) == (pairs, pairs if swaps else pairs - LEFT[copy])
