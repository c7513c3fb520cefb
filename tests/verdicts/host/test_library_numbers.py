"""Numbers that functions of the C++ library compute on the host."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
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
    ],
)
def test_functions_of_known_numbers(tmp_path: Path, value: str, safe: bool) -> None:
    assert outcome(tmp_path, value) is (Outcome.SAFE if safe else Outcome.RACE)


def test_the_programs_own_functions_compute_something_else(tmp_path: Path) -> None:
    assert outcome(tmp_path, "gcd(12, 8)", "int gcd(int a, int b);") is Outcome.RACE
    assert outcome(tmp_path, "gcd(12, 8)", "int gcd(int a, int b) { return 2; }") is Outcome.SAFE
