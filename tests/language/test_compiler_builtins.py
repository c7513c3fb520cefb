"""Built-in functions of the compiler: constants, hints, and bits read as another type."""

import math
from pathlib import Path

import numpy as np
import pytest

from tests.checking import parse, verdicts
from tests.simulate import dynamic
from tests.simulate.running import run

SOURCE = """
// open: write same, write same; global; warp block grid: it depends on values that are not known: mine
__global__ void by_the_bits_of_a_float(int *out) {
  float mine = threadIdx.x;
  out[__builtin_bit_cast(unsigned, mine) & 7] = threadIdx.x;  // same
}

// race: write hit, write hit; global; grid
__global__ void with_hints(float *out, int n) {
  float *p = (float *)__builtin_assume_aligned(out, 16);
  if (__builtin_expect(threadIdx.x == 0, 0)) p[0] = blockIdx.x - INFINITY;  // hit
}

// safe: 1 of 1 pairs
__global__ void with_hints_and_indexes(float *out) {
  float *p = (float *)__builtin_assume_aligned(out, 16, blockDim.x);
  unsigned i = __builtin_bit_cast(unsigned, blockIdx.x * blockDim.x + threadIdx.x);
  if (__builtin_expect(i < 1000, 1)) p[i] = INFINITY;
}

// safe: 1 of 1 pairs
__global__ void with_what_the_compiler_declares(int *out, int width) {
  __builtin_assume(width >= 256);
  if (threadIdx.x >= 256) __builtin_trap();
  out[blockIdx.x * width + threadIdx.x] = __builtin_popcount(threadIdx.x) + __builtin_clz(width);
}

// safe: 1 of 1 pairs
__global__ void of_a_record(int *out) {
  struct Pair { unsigned short low, high; };
  Pair p = __builtin_bit_cast(Pair, (blockIdx.x << 16) | threadIdx.x);
  out[blockIdx.x * blockDim.x + threadIdx.x] = p.low;
}
"""
test_hints_and_bits = verdicts(SOURCE)

VALUES = {
    "INFINITY": math.inf,
    "-HUGE_VALF": -math.inf,
    "__builtin_huge_val()": math.inf,
    "NAN": math.nan,
    '__builtin_nan("")': math.nan,
    "fmaxf(-INFINITY, 2.5f)": 2.5,
    "__builtin_expect(7 * one, 2)": 7,
    "__builtin_expect_with_probability(one, 1, 0.9)": 1,
    "__builtin_bit_cast(int, 1.5f)": 0x3FC00000,
    "__builtin_bit_cast(int, 0.5f * one)": 0x3F000000,
    "__builtin_bit_cast(float, 0x40000000 * one)": 2.0,
    "((int *)__builtin_assume_aligned(given, 16))[1]": 5,
}


@pytest.mark.parametrize("text", VALUES)
def test_both_executors_compute_it(tmp_path: Path, text: str):
    kernel = f"__global__ void k(double *out, int *given, int one) {{ out[0] = {text}; }}"
    given, out = np.array([4, 5, 6], np.int32), np.zeros(1)
    run(tmp_path, kernel, 1, 1, out, given, 1)
    again = np.zeros(1)
    by_oracle = dynamic.ran(dynamic.launch(parse(tmp_path, kernel), 1, 1, again, given, 1))
    assert np.array_equal(out, [VALUES[text]], equal_nan=True)
    assert np.array_equal(by_oracle.contents(again), out, equal_nan=True)
