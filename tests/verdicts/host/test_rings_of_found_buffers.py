"""Rings of buffers that are found in tables: a copy into one of them waits for the kernel that used it last.

Some of the host's memory is page-locked, so that what is found in tables may be so.
"""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check, decided, outcomes_of_launches

PROGRAM = """
#include <memory>
#include <vector>
struct Buffer { explicit Buffer(int n) { cudaMalloc(&p, n * sizeof(float)); } float *p; };
__global__ void correct(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}
int main(int argc, char **argv) {
  const int n = 1 << 20;
  float *from, *to;
  cudaMallocHost(&from, 12 * sizeof(float) * n);
  cudaMalloc(&to, 12 * sizeof(float) * n);
  cudaStream_t copy, compute;
  cudaStreamCreate(&copy);
  cudaStreamCreate(&compute);
  cudaEvent_t ready[2], done[2];
  for (int i = 0; i < 2; i++) { cudaEventCreate(&ready[i]); cudaEventCreate(&done[i]); }
  SLOTS
  for (int c = 0; c < 12; ++c) {
    const int k = c % 2;
    if (WAITS) cudaStreamWaitEvent(copy, done[k], 0);
    cudaMemcpyAsync(SLOT, from + size_t(c) * n, sizeof(float) * n, cudaMemcpyHostToDevice, copy);
    cudaEventRecord(ready[k], copy);
    cudaStreamWaitEvent(compute, ready[k], 0);
    correct<<<n / 256, 256, 0, compute>>>(SLOT, to + size_t(c) * n, n);
    cudaEventRecord(done[k], compute);
  }
  cudaDeviceSynchronize();
}
"""
SLOTS = {
    "array of objects": ("Buffer *s[200]; for (int i = 0; i < argc; i++) s[i] = new Buffer(n);", "s[k]->p"),
    "vector of objects": (
        "std::vector<Buffer *> s; for (int i = 0; i < argc; i++) s.push_back(new Buffer(n));",
        "s[k]->p",
    ),
    "vector of records": ("std::vector<Buffer> s; for (int i = 0; i < argc; i++) s.push_back(Buffer(n));", "s[k].p"),
    "vector of unique pointers": (
        "std::vector<std::unique_ptr<Buffer>> s; for (int i = 0; i < argc; i++) s.emplace_back(new Buffer(n));",
        "s[k]->p",
    ),
    "vector of pointers": (
        "std::vector<float *> s; for (int i = 0; i < argc; i++) { Buffer b(n); s.push_back(b.p); }",
        "s[k]",
    ),
}


def program(slots: str, waits: str) -> str:
    made, slot = SLOTS[slots]
    return PROGRAM.replace("SLOTS", made).replace("SLOT", slot).replace("WAITS", waits)


@pytest.mark.parametrize("slots", SLOTS)
def test_copy_that_waits(tmp_path: Path, slots: str) -> None:
    report = check(tmp_path, program(slots, "c >= 2"))
    known = slots != "vector of objects"  # whether one of them stands there twice is not seen
    assert outcomes_of_launches(report) == {Outcome.SAFE if known else Outcome.UNKNOWN}
    assert decided(report) == (1, 1)


@pytest.mark.parametrize("waits", ["false", "c > 2", "c == 2"])
@pytest.mark.parametrize("slots", SLOTS)
def test_copy_that_does_not(tmp_path: Path, slots: str, waits: str) -> None:
    report = check(tmp_path, program(slots, waits))
    assert outcomes_of_launches(report) == {Outcome.UNKNOWN}
