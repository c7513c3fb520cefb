"""Holders of pointers that are chosen from several: what is stored in one of them may be in each."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check, decided, outcomes_of_launches

PROGRAM = """
#include <memory>
#include <utility>
struct Free { void operator()(float *p) const { cudaFree(p); } };
using Buffer = std::unique_ptr<float, Free>;
__global__ void smooth(const float *from, float *to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[max(i - 1, 0)];
}
float *make(int n) { float *p; cudaMalloc(&p, n * sizeof(float)); return p; }
int main(int argc, char **argv) {
  int n = 1000 * argc;
  float *y = make(n), *z = make(n);
  Buffer p(make(n)), q(make(n)), r(make(n));
  STORE
  smooth<<<(n + 255) / 256, 256>>>(y, p.get(), n);
  cudaDeviceSynchronize();
}
"""
STORES = {
    "(argc > 2 ? p : q).reset(y);": (Outcome.RACE, (3, 2)),
    "(argc > 2 ? q : argc > 1 ? p : r).reset(y);": (Outcome.RACE, (5, 4)),
    "(argc > 2 ? p : q) = Buffer(y);": (Outcome.RACE, (3, 2)),
    "(argc > 2 ? p : q).reset(z);": (Outcome.SAFE, (2, 2)),
    "(argc > 2 ? q : r).reset(y);": (Outcome.SAFE, (1, 1)),
}


@pytest.mark.parametrize("store", STORES)
def test_store(tmp_path: Path, store: str) -> None:
    report = check(tmp_path, PROGRAM.replace("STORE", store))
    outcome, discharged = STORES[store]
    assert outcomes_of_launches(report) == {outcome}
    assert decided(report) == discharged
