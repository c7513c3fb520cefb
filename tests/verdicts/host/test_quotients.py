"""Quotients that the host converts to integers are finite: their divisors are not 0."""

from pathlib import Path

import pytest

from tests.checking import check, observed

PADS = """
#include <cmath>
#include <cstdio>
#include <cstdlib>

__global__ void pads(float *a, int width, int end) {
  int x = threadIdx.x, y = threadIdx.y;
  if (x >= end && x < width) {
    float last = a[y * width + end - 1];  // last
    a[y * width + x] = last;  // pad
  }
}

int main(int argc, char **argv) {
  int width = atoi(argv[1]), end = atoi(argv[2]), other = atoi(argv[3]);
  if (end < 0 || end > width) return 1;
  HOST;
  float *a;
  cudaMalloc(&a, 32 * width * sizeof(float));
  pads<<<1, dim3(32, 32)>>>(a, width, end);
}
"""

SAFE = "safe: 2 of 2 pairs"
RACE = "race: read last, write pad; global; block (unless end != 0)"
HOSTS = {
    "by_the_number": (SAFE, 'int tiles = ceilf((float)width / end); printf("%d", tiles)'),
    "in_double_precision": (SAFE, 'long tiles = (long)(width / (double)end); printf("%ld", tiles)'),
    "rounded_and_negated": (SAFE, 'int tiles = -floorf((float)width / end); printf("%d", tiles)'),
    "by_another_number": (RACE, 'int tiles = ceilf((float)width / other); printf("%d", tiles)'),
    "of_the_number": (RACE, 'int tiles = ceilf((float)end / other); printf("%d", tiles)'),
    "not_converted": (RACE, 'float tiles = (float)width / end; printf("%f", tiles)'),
    "a_truth_value": (RACE, 'bool some = (float)width / end; printf("%d", some)'),
    "only_at_times": (RACE, 'if (other > 3) { int tiles = ceilf((float)width / end); printf("%d", tiles); }'),
    "more_than_the_quotient": (RACE, 'int tiles = fminf((float)width / end, 9.0f); printf("%d", tiles)'),
}


@pytest.mark.parametrize("host", HOSTS)
def test_numbers_that_are_divided_by(tmp_path: Path, host: str):
    verdict, code = HOSTS[host]
    text = PADS.replace("HOST", code)
    assert observed(check(tmp_path, text), text) == {"pads": [verdict]}
