"""Barriers with a number for groups of warps, some of which leave before: all threads of a group, or only some."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check, decided

PROGRAM = """
#include <cuda_runtime.h>
__device__ void meet(int id, int count) { asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(count) : "memory"); }
__global__ void mirror(const float *in, float *out, const int *flags, int rows) {
  __shared__ float line[2][128];
  const int group = threadIdx.x / 128, t = threadIdx.x % 128, row = blockIdx.x * 2 + group;
  if (LEAVES) return;
  line[group][t] = in[row * 128 + t];
  BARRIER
  out[row * 128 + t] = line[group][127 - t];
}
int main() {
  const int rows = 97;
  float *in, *out;
  int *flags;
  cudaMalloc(&in, 100 * 128 * 4), cudaMalloc(&out, 100 * 128 * 4), cudaMalloc(&flags, 256 * 4);
  mirror<<<(rows + 1) / 2, 256>>>(in, out, flags, rows);
  cudaDeviceSynchronize();
}
"""
MEET = "meet(group + 1, 128);"


@pytest.mark.parametrize(
    ("leaves", "barrier", "outcome"),
    [
        ("row >= rows", MEET, Outcome.SAFE),
        ("row >= rows || (row & 1) == 1", MEET, Outcome.SAFE),
        ("row >= rows", "", Outcome.RACE),
        ("row >= rows", "meet(group + 1, 64);", Outcome.UNKNOWN),
        ("blockIdx.x * 8 + threadIdx.x / 32 >= rows", MEET, Outcome.UNKNOWN),
        ("row * 128 + t >= rows * 100", MEET, Outcome.UNKNOWN),
        ("in[row * 128 + t] < 0", MEET, Outcome.UNKNOWN),
    ],
)
def test_groups(tmp_path: Path, leaves: str, barrier: str, outcome: Outcome) -> None:
    report = check(tmp_path, PROGRAM.replace("LEAVES", leaves).replace("BARRIER", barrier))
    (kernel,) = report.kernels
    assert kernel.outcome is outcome
    if outcome is Outcome.SAFE:
        assert decided(report)[0] == decided(report)[1] == 3
