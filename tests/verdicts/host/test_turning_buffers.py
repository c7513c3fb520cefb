"""Buffers that take turns in arrays and containers: `std::rotate` and its like put them in another order."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check, decided, outcomes_of_launches

PROGRAM = """
#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>
__global__ void step(const float *from, float *to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[max(i - 1, 0)];
}
struct Free { void operator()(float *p) const { cudaFree(p); } };
using Buffer = std::unique_ptr<float, Free>;
float *make(int n) { float *p; cudaMalloc(&p, n * sizeof(float)); return p; }
void turn(std::array<float *, 3> &f) { std::rotate(f.begin(), f.begin() + 1, f.end()); }
int main(int argc, char **argv) {
  int n = 1000 * argc;
  BUFFERS
  float *kept = f[0]GET;
  for (int t = 0; t < argc; t++) {
    step<<<(n + 255) / 256, 256>>>(FROM, f[2]GET, n);
    TURN;
  }
  cudaDeviceSynchronize();
}
"""
BUFFERS = {
    "array": ("float *f[3] = {make(n), make(n), make(n)};", "", "std::begin(f)", "std::end(f)"),
    "std::array": ("std::array<float *, 3> f = {make(n), make(n), make(n)};", "", "f.begin()", "f.end()"),
    "std::vector": ("std::vector<float *> f = {make(n), make(n), make(n)};", "", "std::begin(f)", "std::end(f)"),
    "std::array of unique pointers": (
        "std::array<Buffer, 3> f = {Buffer(make(n)), Buffer(make(n)), Buffer(make(n))};",
        ".get()",
        "f.begin()",
        "f.end()",
    ),
}
TURNS = {  # by how many pairs there are where a kernel gets the first buffer: one for each that it may be
    "std::rotate(BEGIN, BEGIN + 1, END)": 6,
    "std::rotate(BEGIN, BEGIN + 2, END)": 6,
    "std::reverse(BEGIN, END)": 4,
    "std::iter_swap(BEGIN, BEGIN + 2)": 4,
    "std::swap(f[0], f[2])": 4,
}


def program(buffers: str, from_: str, turn: str) -> str:
    declared, get, begin, end = BUFFERS[buffers]
    text = PROGRAM.replace("BUFFERS", declared).replace("FROM", from_).replace("TURN", turn).replace("GET", get)
    return text.replace("BEGIN", begin).replace("END", end)


@pytest.mark.parametrize("turn", TURNS)
@pytest.mark.parametrize("buffers", BUFFERS)
def test_two_of_them(tmp_path: Path, buffers: str, turn: str) -> None:
    report = check(tmp_path, program(buffers, "f[0]GET", turn))
    assert outcomes_of_launches(report) == {Outcome.SAFE}
    assert decided(report) == (TURNS[turn], TURNS[turn])


@pytest.mark.parametrize("turn", TURNS)
@pytest.mark.parametrize("buffers", BUFFERS)
def test_one_that_is_kept(tmp_path: Path, buffers: str, turn: str) -> None:
    report = check(tmp_path, program(buffers, "kept", turn))
    assert outcomes_of_launches(report) == {Outcome.RACE}


@pytest.mark.parametrize("buffers", [name for name in BUFFERS if "unique" not in name])
def test_one_that_stands_twice(tmp_path: Path, buffers: str) -> None:
    text = program(buffers, "f[0]GET", "std::rotate(BEGIN, BEGIN + 1, END)")
    report = check(tmp_path, text.replace("float *kept = f[0];", "f[1] = f[0];"))
    assert outcomes_of_launches(report) == {Outcome.RACE}


@pytest.mark.parametrize(("from_", "outcome"), [("f[0]", Outcome.SAFE), ("kept", Outcome.RACE)])
def test_function_that_turns_them(tmp_path: Path, from_: str, outcome: Outcome) -> None:
    report = check(tmp_path, program("std::array", from_, "turn(f)"))
    assert outcomes_of_launches(report) == {outcome}


def test_places_that_are_not_known(tmp_path: Path) -> None:
    text = program("std::vector", "f[0]", "std::rotate(f.begin(), f.begin() + t % 3, f.end())")
    assert outcomes_of_launches(check(tmp_path, text)) == {Outcome.UNKNOWN}


def test_container_made_again_in_each_iteration(tmp_path: Path) -> None:
    text = program("array", "g[0]", "").replace("step<<<", "std::array<float *, 2> g = {f[t % 2], f[0]}; step<<<")
    report = check(tmp_path, text.replace("f[2], n", "g[1], n"))
    assert outcomes_of_launches(report) == {Outcome.RACE}


def test_container_made_of_one_value(tmp_path: Path) -> None:
    """What the container of the iteration before had is gone."""
    text = program("std::vector", "g[0]", "").replace("argc; t++", "2; t++")
    made = "std::vector<float *> g(2, t ? f[0] : f[1]); if (t == 0) { g[0] = f[0]; g[1] = f[2]; } step<<<"
    report = check(tmp_path, text.replace("step<<<", made).replace("f[2], n", "g[1], n"))
    assert Outcome.UNKNOWN in outcomes_of_launches(report)
