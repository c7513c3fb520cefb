"""Launches behind a test of what a function of the standard library computes from the launch's own numbers."""

from collections.abc import Callable
from math import gcd, lcm
from pathlib import Path

import pytest

from hgrd.findings.model import Confidence, KernelReport, Outcome
from tests.checking import check

PROGRAM = """
#include <cuda_runtime.h>
#include <bit>
#include <cstdlib>
#include <numeric>
__global__ void k(int *out, int n, int s) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[INDEX] = i;
}
static bool valid(int n, int s) {
  if (n < 2 || n > 65536 || s < 1 || s > 1000) return false;
  return TEST;
}
int main(int argc, char **argv) {
  int n = atoi(argv[1]), s = atoi(argv[2]);
  if (!valid(n, s)) return 1;
  int *out;
  cudaMalloc(&out, (n + s) * 4);
  k<<<(n + 255) / 256, 256>>>(out, n, s);
}
"""
SPREAD = "(i * s) % n"
MASKED = "i & (s - 1)"


def checked(folder: Path, test: str, index: str) -> KernelReport:
    (kernel,) = check(folder, PROGRAM.replace("TEST", test).replace("INDEX", index)).kernels
    return kernel


@pytest.mark.parametrize(
    ("test", "index"),
    [
        ("std::gcd(n, s) == 1", SPREAD),
        ("std::gcd(s, n) == 1", SPREAD),
        ("std::gcd(n, s) < 2", SPREAD),
        ("std::gcd(n, s) == 1", "(i * s + 7) % n"),
        ("std::gcd(n, s) == 1 && n % 2 == 0", SPREAD),
        ("std::has_single_bit((unsigned)s) && s >= n", MASKED),
        ("std::popcount((unsigned)s) == 1 && s >= n", MASKED),
        ("__builtin_popcount(s) == 1 && s >= n", MASKED),
        ("std::bit_ceil((unsigned)n) == (unsigned)s", MASKED),
        ("std::bit_width((unsigned)s) > std::bit_width((unsigned)n)", "i % s"),
    ],
)
def test_what_the_function_says_keeps_threads_apart(tmp_path: Path, test: str, index: str) -> None:
    kernel = checked(tmp_path, test, index)
    (launch,) = kernel.launches
    assert kernel.outcome is Outcome.SAFE
    assert (launch.pairs, launch.discharged) == (1, 1)


@pytest.mark.parametrize(
    ("test", "index", "meets"),
    [
        ("std::gcd(n, s) == 2", SPREAD, lambda n, s: gcd(n, s) == 2),
        ("std::gcd(n, s) != 1", SPREAD, lambda n, s: gcd(n, s) != 1),
        ("std::gcd(n, s) == 1", "(i * s) % (n + 1)", lambda n, s: gcd(n, s) == 1 != gcd(n + 1, s)),
        ("std::gcd(n, s) == 1", "(i * s) % n / 2", lambda n, s: gcd(n, s) == 1),
        ("std::lcm(n, s) == n", SPREAD, lambda n, s: lcm(n, s) == n),
    ],
)
def test_the_witness_of_a_race_passes_the_test(
    tmp_path: Path, test: str, index: str, meets: Callable[[int, int], bool]
) -> None:
    (race,) = checked(tmp_path, test, index).findings
    inputs = dict(race.witness.inputs)
    assert race.confidence is Confidence.DEFINITE
    assert meets(inputs["n"], inputs["s"])


@pytest.mark.parametrize(
    ("test", "index"),
    [
        ("std::has_single_bit((unsigned)s)", MASKED),
        ("std::bit_floor((unsigned)n) == (unsigned)s", MASKED),
        ("std::bit_width((unsigned)s) >= std::bit_width((unsigned)n)", "i % s"),
    ],
)
def test_a_test_that_is_too_weak_leaves_a_race(tmp_path: Path, test: str, index: str) -> None:
    (race,) = checked(tmp_path, test, index).findings
    assert (race.confidence, race.condition) == (Confidence.DEFINITE, "")
