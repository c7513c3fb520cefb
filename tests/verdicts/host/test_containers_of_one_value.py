"""Containers all elements of which begin with one value: the pointers in it are in each."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check, decided, outcomes_of_launches

PROGRAM = """
#include <array>
#include <memory>
#include <optional>
#include <utility>
#include <vector>
struct Pair { float *a, *b; };
__global__ void smooth(const float *from, float *to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[max(i - 1, 0)];
}
int main(int argc, char **argv) {
  int n = 1000 * argc;
  float *x, *y, *z;
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&y, n * sizeof(float));
  cudaMalloc(&z, n * sizeof(float));
  MADE
  smooth<<<(n + 255) / 256, 256>>>(GIVEN, ELEMENT, n);
  cudaDeviceSynchronize();
}
"""
MADE = {
    "std::vector<float *> v(3, x);": "v[1]",
    "std::vector<Pair> v(3, Pair{y, x});": "v[1].b",
    "Pair q{y, x}; std::vector<Pair> v(3, q);": "v[argc].b",
    "std::vector<Pair *> v(3, new Pair{y, x});": "v[1]->b",
    "Pair q{y, x}; std::vector<Pair *> v(3, &q);": "v[1]->b",
    "std::vector<std::shared_ptr<Pair>> v(3, std::make_shared<Pair>(Pair{y, x}));": "v[1]->b",
    "std::vector<std::pair<float *, int>> v(3, {x, 1});": "v[1].first",
    "std::vector<std::optional<float *>> v(3, x);": "*v[1]",
    "std::vector<std::array<float *, 2>> v(3, {y, x});": "v[1][1]",
    "std::vector<std::vector<float *>> v(2, std::vector<float *>{y, x});": "v[1][1]",
    "std::vector<float *> w(3, x), v(w.begin(), w.end());": "v[1]",
    "std::vector<float *> w(3, x), v = w;": "v[1]",
    "std::vector<float *> w(3, x), v; v = std::move(w);": "v[1]",
    "std::vector<float *> w(3, x), v(3, y); std::swap(w, v);": "v[1]",
}


def program(made: str, given: str) -> str:
    return PROGRAM.replace("MADE", made).replace("ELEMENT", MADE[made]).replace("GIVEN", given)


@pytest.mark.parametrize("made", MADE)
def test_an_element(tmp_path: Path, made: str) -> None:
    assert outcomes_of_launches(check(tmp_path, program(made, "x"))) == {Outcome.UNKNOWN}


@pytest.mark.parametrize("made", MADE)
def test_other_memory(tmp_path: Path, made: str) -> None:
    report = check(tmp_path, program(made, "z"))
    assert outcomes_of_launches(report) == {Outcome.SAFE}
    assert decided(report) == (1, 1)
