"""Bit-fields: cut to their bits, kept apart in the integer that they share, and one place for threads."""

from pathlib import Path

import pytest

from tests.checking import check, verdicts

TEXT = """
struct Flags { unsigned low : 4, high : 28; };
struct Small { int sign : 2, odd : 1; };
struct Truth { bool one : 1, other : 1; };
struct Last { unsigned most : 24, rest : 8; };

// safe: 1 of 1 pairs
__global__ void kept(int *a) {
  Flags f;
  f.low = 1, f.high = 1024;
  a[f.high * blockIdx.x + f.low * threadIdx.x] = blockIdx.x;
}

// race: write mixed, write mixed; global; grid
__global__ void mixed_up(int *a) {
  Flags f;
  f.low = 0, f.high = 64;
  a[f.low * blockIdx.x + threadIdx.x] = blockIdx.x;  // mixed
}

// race: write cut, write cut; global; warp block grid
__global__ void cut(int *a) {
  Flags f;
  f.low = 16;
  a[f.low * threadIdx.x] = threadIdx.x + blockIdx.x;  // cut
}

// race: write value, write value; global; warp block grid
__global__ void value_of_an_assignment(int *a) {
  Flags f;
  a[(f.low = 16) * threadIdx.x] = threadIdx.x + blockIdx.x;  // value
}

// race: write counted, write counted; global; warp block grid
__global__ void counted(int *a) {
  Flags f;
  f.high = 3, f.low = 15;
  f.low++;
  a[f.low * threadIdx.x] = threadIdx.x + blockIdx.x;  // counted
}

// safe: 1 of 1 pairs
__global__ void negative(int *a) {
  Small s;
  s.odd = 0, s.sign = 3;
  a[(s.sign + 1 - s.odd) * 2048 * blockIdx.x + blockIdx.x * blockDim.x + threadIdx.x] = 0;
}

// race: write false, write false; global; warp block grid
__global__ void truths(int *a) {
  Truth t;
  t.one = false, t.other = true;
  a[t.one ? threadIdx.x : 0] = threadIdx.x + blockIdx.x;  // false
}

// race: write one, write zero; global; warp
__global__ void neighbours(Flags *f) {
  Flags *mine = f + blockIdx.x;
  if (threadIdx.x == 0) mine->low = 1;  // zero
  if (threadIdx.x == 1) mine->high = 1;  // one
}

// safe: 1 of 1 pairs
__global__ void of_its_own(Flags *f) {
  f[blockIdx.x * blockDim.x + threadIdx.x].low = 1;
}

// race: write last, write last; global; warp block grid
__global__ void in_the_last_byte(Last *p) {
  p->rest = threadIdx.x;  // last
}

// safe: 1 of 1 pairs
__global__ void given(int *a, Flags f) {
  a[2048 * blockIdx.x + threadIdx.x * 2 + f.low / 15] = 0;
}

// race: write other, write other; global; warp block grid
__global__ void given_with_others(int *a, Flags f) {
  if (f.low != f.high) a[0] = threadIdx.x + blockIdx.x;  // other
}

// open: write begun, write begun; global; warp block: it depends on values that are not known: bits
// race: write begun, write begun; global; grid
__global__ void begun(int *a) {
  Flags f = {0, 64};
  a[f.low * threadIdx.x] = threadIdx.x + blockIdx.x;  // begun
}
"""

test_bit_fields = verdicts(TEXT)


@pytest.mark.parametrize(("columns", "outcome"), [("bits.high", "safe"), ("bits.low", "race")])
def test_bit_fields_of_the_host(tmp_path: Path, columns: str, outcome: str) -> None:
    text = f"""
    struct Flags {{ unsigned low : 4, high : 28; }};
    __constant__ Flags bits;
    __global__ void fill(int *a) {{ a[blockIdx.x * {columns} + threadIdx.x] = blockIdx.x; }}
    int main() {{
      int *a;
      cudaMalloc(&a, 4096);
      Flags f;
      f.low = 0, f.high = 64;
      cudaMemcpyToSymbol(bits, &f, sizeof f);
      fill<<<4, 64>>>(a);
    }}
    """
    (kernel,) = check(tmp_path, text).kernels
    assert kernel.outcome.value == outcome
