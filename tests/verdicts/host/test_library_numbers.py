"""Numbers that functions of the C++ library compute on the host."""

from pathlib import Path

import pytest

from hgrd.findings.model import Confidence, Outcome
from tests.checking import check

PAIRS = """
#include <cuda_runtime.h>
#include <algorithm>
#include <numeric>
#include <cstdlib>
DECLARED
__global__ void k(float *b, int n, int s) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { b[i * s] = 1; b[i * s + 1] = 2; }
}
int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  float *b;
  cudaMalloc(&b, 4 * (16 * n + 16));
  int s = VALUE;
  k<<<(n + 255) / 256, 256>>>(b, n, s);
}
"""


def outcome(folder: Path, value: str, declared: str = "") -> Outcome:
    (kernel,) = check(folder, PAIRS.replace("VALUE", value).replace("DECLARED", declared)).kernels
    return kernel.outcome


@pytest.mark.parametrize(
    ("value", "safe"),
    [
        ("std::gcd(12, 8)", True),
        ("std::gcd(12, 7)", False),
        ("std::gcd(n, 8)", False),
        ("std::lcm(2, 3)", True),
        ("std::lcm(1, 1)", False),
        ("std::clamp(n, 2, 4)", True),
        ("std::clamp(n - 1, 1, 4)", False),
        ("std::clamp(5, 2, 4)", True),
        ("std::clamp(5, 0, 1)", False),
        ("std::min({8, n + 2, 2 + n % 2})", True),
        ("std::min({8, n + 2, 1 + n % 2})", False),
        ("std::max({2, n})", True),
        ("std::max({1, n % 3})", False),
        ("std::min({7, 2, 3})", True),
        ("(int)std::round(1.5)", True),
        ("(int)std::round(1.4)", False),
        ("std::lround(n / 2.0)", False),
        ("2 + std::lround(std::abs(n) / 2.0)", True),
        ("-std::lround(-1.5)", True),
        ("-std::lround(-1.25)", False),
    ],
)
def test_functions_of_known_numbers(tmp_path: Path, value: str, safe: bool) -> None:
    assert outcome(tmp_path, value) is (Outcome.SAFE if safe else Outcome.RACE)


@pytest.mark.parametrize("value", ["std::midpoint(2, 4)", "std::lround(m)", "std::count_if(p, p + 2, even)"])
def test_what_the_library_makes_of_numbers_is_no_choice_of_a_race(tmp_path: Path, value: str) -> None:
    """It may be any number for all that is known, but nobody chooses it: no race rests on it, and no proof."""
    program = PAIRS.replace("int s = VALUE", f"int p[2] = {{argc, 1}}; double m = argc * 0.3; int s = {value}").replace(
        "DECLARED", "bool even(int x) { return x % 2 == 0; }"
    )
    (kernel,) = check(tmp_path, program).kernels
    assert (kernel.outcome, kernel.findings) == (Outcome.UNKNOWN, ())


def test_a_number_that_comes_from_outside_is_one(tmp_path: Path) -> None:
    (kernel,) = check(tmp_path, PAIRS.replace("VALUE", "atoi(argv[2])").replace("DECLARED", "")).kernels
    assert Confidence.DEFINITE in {finding.confidence for finding in kernel.findings}


def test_the_programs_own_functions_compute_something_else(tmp_path: Path) -> None:
    assert outcome(tmp_path, "gcd(12, 8)", "int gcd(int a, int b);") is Outcome.RACE
    assert outcome(tmp_path, "gcd(12, 8)", "int gcd(int a, int b) { return 2; }") is Outcome.SAFE
