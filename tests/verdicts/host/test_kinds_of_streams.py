"""Streams of which only the text tells the kind: whether the default stream orders them is what all of them say."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check

PROGRAM = """
#include <cuda_runtime.h>
#include <deque>
#include <memory>
#include <vector>
struct Lane {
  cudaStream_t held;
  Lane() { MADE }
  operator cudaStream_t() const { return held; }
};
__global__ void fill(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = i; }
__global__ void scale(const float *x, float *to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = x[n - 1 - i];
}
int main() {
  const int n = 4096;
  float *x, *to;
  cudaMalloc(&x, n * sizeof(float)), cudaMalloc(&to, 3 * n * sizeof(float));
  KEPT<std::unique_ptr<Lane>> lanes;
  for (int i = 0; i < 3; i++) lanes.push_back(std::make_unique<Lane>());
  OTHER
  fill<<<n / 256, 256>>>(x, n);
  BETWEEN
  for (int i = 0; i < 3; i++) scale<<<n / 256, 256, 0, *lanes[i]>>>(x, to + i * n, n);
  cudaDeviceSynchronize();
}
"""
BLOCKING = "cudaStreamCreate(&held);"
FREE = "cudaStreamCreateWithFlags(&held, cudaStreamNonBlocking);"
ONE_BLOCKING = "cudaStream_t other; cudaStreamCreate(&other);"
ONE_FREE = "cudaStream_t other; cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);"
KERNELS = ("fill", "scale")
MEETS = {
    "fill": "kernel 'scale' at program.cu:25 may run at the same time and reads 'x', which this kernel writes",
    "scale": "kernel 'fill' at program.cu:23 may run at the same time and writes 'x', which this kernel reads",
}


def program(kept: str, made: str, other: str, between: str) -> str:
    text = PROGRAM.replace("KEPT", kept).replace("MADE", made)
    return text.replace("OTHER", other).replace("BETWEEN", between)


@pytest.mark.parametrize(
    ("made", "other", "outcome"),
    [(BLOCKING, "", Outcome.SAFE), (FREE, "", Outcome.UNKNOWN), (FREE, ONE_BLOCKING, Outcome.UNKNOWN)],
)
def test_streams_that_are_not_followed(tmp_path: Path, made: str, other: str, outcome: Outcome) -> None:
    launches = {k.kernel: k.launches[0] for k in check(tmp_path, program("std::deque", made, other, "")).kernels}
    assert {name: x.outcome for name, x in launches.items()} == dict.fromkeys(KERNELS, outcome)
    told = {name: [p.reason for p in x.open_pairs] for name, x in launches.items()}
    assert told == {name: [] if outcome is Outcome.SAFE else [text] for name, text in MEETS.items()}


@pytest.mark.parametrize(
    ("made", "other", "between", "outcome"),
    [
        (BLOCKING, "", "", Outcome.SAFE),
        ("cudaStreamCreateWithFlags(&held, cudaStreamDefault);", "", "", Outcome.SAFE),
        (FREE, "", "", Outcome.RACE),
        (FREE, ONE_BLOCKING, "", Outcome.RACE),
        ("int least, most; cudaDeviceGetStreamPriorityRange(&least, &most);"
         "cudaStreamCreateWithPriority(&held, cudaStreamNonBlocking, most);", "", "", Outcome.RACE),
        (FREE, "", "cudaStreamSynchronize(0);", Outcome.SAFE),
        (BLOCKING, ONE_FREE, "cudaDeviceSynchronize();", Outcome.SAFE),
    ],
)  # fmt: skip
def test_the_default_stream_orders_what_surely_waits_for_it(
    tmp_path: Path, made: str, other: str, between: str, outcome: Outcome
) -> None:
    text = program("std::vector", made, other, between)
    launches = {k.kernel: k.launches[0] for k in check(tmp_path, text).kernels}
    assert {name: x.outcome for name, x in launches.items()} == dict.fromkeys(KERNELS, outcome)
    assert {name: (x.pairs, x.discharged) for name, x in launches.items()} == {"fill": (1, 1), "scale": (1, 1)}
    assert not any(x.open_pairs for x in launches.values())
    found = {(f.first.span.line, f.second.span.line, f.rule) for x in launches.values() for f in x.findings if f.second}
    assert found == ({(11, 14, "HGRD012"), (14, 11, "HGRD012")} if outcome is Outcome.RACE else set())
