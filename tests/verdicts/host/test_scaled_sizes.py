"""Sizes scaled by a floating-point factor: they lie between two fractions of the original."""

from pathlib import Path

import pytest

from hgrd.findings.model import Confidence, Outcome, Report
from tests.checking import check

PROGRAM = """
#include <cstdlib>
#include <cmath>
__global__ void scaled(int *a, int w, int less) {
  int x = threadIdx.x + blockIdx.x * 64, y = blockIdx.y;
  if (x < less) a[y * w + x] = x + y;
}
int main(int argc, char **argv) {
  int w = atoi(argv[1]), h = atoi(argv[2]);
  if (w < 1 || h < 1) return 1;
  float factor = FACTOR;
  int less = SCALED;
  int *a;
  cudaMalloc(&a, sizeof(int) * w * h);
  scaled<<<dim3((2 * w + 63) / 64, h), 64>>>(a, w, less);
}
"""


def analysed(folder: Path, factor: str, scaled: str = "(int)floorf(w * factor)") -> Report:
    return check(folder, PROGRAM.replace("FACTOR", factor).replace("SCALED", scaled))


@pytest.mark.parametrize("scaled", ["(int)floorf(w * factor)", "factor * w", "(int)ceilf(w * factor)"])
def test_a_part_of_a_row(tmp_path: Path, scaled: str):
    (kernel,) = analysed(tmp_path, "0.6f", scaled).kernels
    assert (kernel.outcome, kernel.findings) == (Outcome.SAFE, ())


def test_more_than_a_row_is_shown_with_about_as_much_as_it_is(tmp_path: Path):
    (kernel,) = analysed(tmp_path, "1.6f").kernels
    (race,) = kernel.findings
    assert race.confidence is Confidence.DEFINITE
    values = dict(race.witness.inputs)
    assert values["w"] * 25 // 16 <= values["converted"] <= values["w"] * 26 // 16


@pytest.mark.parametrize("factor", ["atof(argv[3])", "0.99999994f"])
def test_a_factor_that_is_not_known_or_that_rounding_may_make_one(tmp_path: Path, factor: str):
    (kernel,) = analysed(tmp_path, factor).kernels
    assert kernel.outcome is Outcome.RACE


def test_rounding_to_half_may_get_past_a_sixteenth(tmp_path: Path):
    source = """
__global__ void halved(int *a, int n) {
  int i = (int)(_Float16)(0.62499f * n);  // 1281 of 2049, more than 5/8
  if (n == 2049 && i > 1280) a[0] = threadIdx.x;
}
"""
    (kernel,) = check(tmp_path, source).kernels
    assert kernel.outcome is Outcome.RACE
