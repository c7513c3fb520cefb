"""Conditions whose right operands change memory: what holds behind them is kept for what they have changed."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check, decided, outcomes_of_launches

PROGRAM = """
#include <cstdio>
#include <cstdlib>
#include <fstream>
struct Header { int n, rows; };
static bool get(FILE *file, Header &h) {
  if (fread(&h, sizeof h, 1, file) != 1) return false;
  return TEST;
}
static bool read(std::ifstream &in, Header &h) {
  if (!in.read(reinterpret_cast<char *>(&h), sizeof h)) return false;
  if (!(TEST)) { fprintf(stderr, "not even"); return false; }
  return h.rows > 0;
}
static bool choose(Header &h) { h.n = rand(); return TEST; }
__global__ void pairs(int *x, int n) {  // the last thread's neighbour is the first one
  int i = threadIdx.x;
  if (i < n && i % 2 == 0) x[(i + n - 1) % n] = x[i];
}
int main(int argc, char **argv) {
  Header h; FILE *file = fopen(argv[1], "rb"); std::ifstream in(argv[1]);
  GUARD
  int *x; cudaMalloc(&x, 65536);
  pairs<<<1, 256>>>(x, h.n);
  cudaDeviceSynchronize();
}
"""
GUARDS = {
    "or": "if (!file || !get(file, h)) return 1;",
    "or, and another one": "if (argc < 2 || !in || !read(in, h)) return 1;",
    "and": 'if (file && get(file, h)) printf("%d", h.n); else return 1;',
    "not": "if (!(argc > 1 && choose(h))) return 1;",
    "both": "if (argc < 2 || (argc > 2 && argv[2] == nullptr) || !choose(h)) exit(1);",
    "an assignment": "if (argc < 2 || (h.n = atoi(argv[1])) < 2 || h.n > 256 || h.n % 2) return 1;",
}


@pytest.mark.parametrize("guard", GUARDS)
@pytest.mark.parametrize(
    ("test", "outcome"),
    [("h.n >= 2 && h.n <= 256 && h.n % 2 == 0", Outcome.SAFE), ("h.n >= 2 && h.n <= 256", Outcome.RACE)],
)
def test_what_they_have_checked(tmp_path: Path, guard: str, test: str, outcome: Outcome) -> None:
    text = GUARDS[guard] if outcome is Outcome.SAFE else GUARDS[guard].replace(" || h.n % 2", "")
    report = check(tmp_path, PROGRAM.replace("TEST", test).replace("GUARD", text))
    assert decided(report) == (2, 2 if outcome is Outcome.SAFE else 1)
    assert outcomes_of_launches(report) == {outcome}


def test_a_way_around_them(tmp_path: Path) -> None:
    """Without a file, nothing is checked."""
    guard = "h.n = argc; if (file && !get(file, h)) return 1;"
    text = PROGRAM.replace("TEST", "h.n >= 2 && h.n <= 256 && h.n % 2 == 0").replace("GUARD", guard)
    assert outcomes_of_launches(check(tmp_path, text)) == {Outcome.RACE}
