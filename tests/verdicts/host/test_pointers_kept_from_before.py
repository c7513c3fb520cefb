"""Pointers that an iteration of a loop keeps from the one before it, and stores at another place of a table."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check, decided, outcomes_of_launches

PROGRAM = """
#include <cstdlib>
__global__ void step(const float *from, float *to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[max(i - 1, 0)];
}
const int N = 4096;
float *make() { float *p; cudaMalloc(&p, N * sizeof(float)); return p; }
struct Slot { float *p; Slot() { static float *made = make(); p = made; } };
struct Pool {
  float *now = nullptr;
  int used = 0;
  float *next() { if (used++ % 4 == 0) now = make(); return now; }
};
float *once() { static float *made = make(); return made; }
void put(float **at) { static float *made = make(); *at = made; }
int main(int argc, char **argv) {
  const int count = 40;
  float **v = (float **)malloc(count * sizeof(float *));
  float *q = nullptr;
  Pool pool;
  for (int i = 0; i < count; i++) { FILL }
  step<<<N / 256, 256>>>(v[0], v[2], N);
  cudaDeviceSynchronize();
}
"""
KEPT = [
    "if (i % 4 == 0) q = make(); v[i] = q;",
    "q = i % 4 ? q : make(); v[i] = q;",
    "static float *made = make(); v[i] = made;",
    "v[i] = once();",
    "put(v + i);",
    "v[i] = pool.next();",
    "if (!q) q = make(); v[i] = q;",
]
NEW = [
    "q = make(); v[i] = q;",
    "v[i] = make();",
    "cudaMalloc(&v[i], N * sizeof(float));",
    "float *made; cudaMalloc(&made, N * sizeof(float)); v[i] = made;",
]


def outcome_of(tmp_path: Path, fill: str) -> Outcome:
    report = check(tmp_path, PROGRAM.replace("FILL", fill))
    (outcome,) = outcomes_of_launches(report)
    if outcome is Outcome.SAFE:
        assert decided(report) == (1, 1)
    return outcome


@pytest.mark.parametrize("fill", KEPT)
def test_kept(tmp_path: Path, fill: str) -> None:
    assert outcome_of(tmp_path, fill) is Outcome.UNKNOWN


@pytest.mark.parametrize("fill", NEW)
def test_new_in_each_iteration(tmp_path: Path, fill: str) -> None:
    assert outcome_of(tmp_path, fill) is Outcome.SAFE


PLACED = PROGRAM.replace("float **v = (float **)malloc(count * sizeof(float *))", "Slot *v = (Slot *)malloc(count * 8)")


def test_kept_by_a_constructor(tmp_path: Path) -> None:
    text = PLACED.replace("FILL", "new (&v[i]) Slot();").replace("v[0], v[2]", "v[0].p, v[2].p")
    assert outcomes_of_launches(check(tmp_path, "#include <new>" + text)) == {Outcome.UNKNOWN}
