"""Two buffers in each record of a list, which steps of the program use in turn: `buf[p]` and `buf[1 - p]`."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check, decided, outcomes_of_launches

PROGRAM = """
#include <cuda_runtime.h>
#include <vector>
struct Slab { int n; float *buf[2]; cudaStream_t s; };
__global__ void smooth(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1) out[i] = in[i - 1] + in[i + 1];
}
static void step(std::vector<Slab> &slabs, int p) {
  for (Slab &s : slabs) smooth<<<4, 256, 0, s.s>>>(s.buf[p], s.buf[1 - p], s.n);
}
int main(int argc, char **argv) {
  std::vector<Slab> slabs(argc);
  float *q; cudaMalloc(&q, 4096);
  for (int k = 0; k < argc; k++) {
    Slab &s = slabs[k]; s.n = 1024; cudaStreamCreate(&s.s);
    MAKE
  }
  MORE
  for (int t = 0; t < 10; t++) { step(slabs, t & 1); cudaDeviceSynchronize(); }
}
"""
BOTH = "cudaMalloc(&s.buf[0], 4096); cudaMalloc(&s.buf[1], 4096);"
OWN = {"one by one": BOTH, "in a loop": "for (int p = 0; p < 2; p++) cudaMalloc(&s.buf[p], 4096);"}
ONE = {  # how they are made, and what is done then, so that both are one
    "copied": ("cudaMalloc(&s.buf[0], 4096); s.buf[1] = s.buf[0];", ""),
    "copied by a variable": ("cudaMalloc(&s.buf[0], 4096); float *o = s.buf[0]; s.buf[1] = o;", ""),
    "for all": ("s.buf[0] = q; s.buf[1] = q;", ""),
    "of one record": (BOTH, "slabs[0].buf[1] = slabs[0].buf[0];"),
    "by way of another list": (
        BOTH,
        "std::vector<float *> o(argc); for (int k = 0; k < argc; k++) o[k] = slabs[k].buf[0];"
        "for (int k = 0; k < argc; k++) slabs[k].buf[1] = o[k];",
    ),
}


@pytest.mark.parametrize("name", OWN)
def test_buffers_of_their_own(tmp_path: Path, name: str) -> None:
    report = check(tmp_path, PROGRAM.replace("MAKE", OWN[name]).replace("MORE", ""))
    assert outcomes_of_launches(report) == {Outcome.SAFE}
    assert decided(report) == (1, 1)


@pytest.mark.parametrize("name", ONE)
def test_buffers_that_may_be_one(tmp_path: Path, name: str) -> None:
    make, more = ONE[name]
    report = check(tmp_path, PROGRAM.replace("MAKE", make).replace("MORE", more))
    assert outcomes_of_launches(report) == {Outcome.UNKNOWN}
