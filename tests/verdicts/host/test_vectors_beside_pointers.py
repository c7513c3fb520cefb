"""Vectors of records beside pointers in one object: their elements are no memory that these pointers lead to."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check, decided, outcomes_of_launches

PROGRAM = """
#include <utility>
#include <vector>
struct Set { int first, count; float rest; };
__global__ void relax(float *x, Set set) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < set.count) x[i] += set.rest;
}
class Rope {
 public:
  explicit Rope(int n) : n_(n) {
    cudaMalloc(&x_, n * sizeof(float));
    sets_.push_back({0, n - 1, 0.1f});
    sets_.push_back({1, n - 2, 0.2f});
    BEGIN
  }
  void step(int times) {
    for (int t = 0; t < times; t++)
      for (const Set &set : sets_) relax<<<(set.count + 127) / 128, 128>>>(x_, set);
  }

 private:
  int n_;
  float *x_;
  std::vector<Set> sets_;
  std::vector<Set> others_;
};
int main() {
  Rope rope(5000);
  for (int s = 0; s < 10; s++) rope.step(8);
  cudaDeviceSynchronize();
}
"""
WAYS = {
    "nothing else": ("", Outcome.SAFE),
    "the elements": ("x_ = &sets_[0].rest;", Outcome.UNKNOWN),
    "elements that are moved": (
        "std::vector<Set> made(sets_); x_ = &made[0].rest; sets_ = std::move(made);",
        Outcome.UNKNOWN,
    ),
    "a copy of the elements": (
        "cudaMemcpy(x_, sets_.data(), 2 * sizeof(Set), cudaMemcpyHostToDevice);",
        Outcome.SAFE,
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_way(tmp_path: Path, way: str) -> None:
    begin, outcome = WAYS[way]
    report = check(tmp_path, PROGRAM.replace("BEGIN", begin))
    assert outcomes_of_launches(report) == {outcome}
    assert decided(report) == ((0, 0) if way == "the elements" else (2, 2))
