"""Vector accesses: an address that is no multiple of what its type requires is an error, and no race by itself."""

from __future__ import annotations

import pytest

from tests.checking import check, observed, verdicts

ROWS = """
struct alignas(16) Eight { short v[8]; };

// safe: 1 of 1 pairs
__global__ void rows_of_vectors(float *out, int height, int width) {
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= height) return;
  for (int c = threadIdx.x * 4; c < width; c += 128)
    *reinterpret_cast<float4 *>(out + row * width + c) = make_float4(row, c, 0, 0);  // four
}

// safe: 1 of 1 pairs
__global__ void rows_of_records(short *out, int height, int width) {
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= height) return;
  Eight e = {{(short)row, 1, 2, 3, 4, 5, 6, 7}};
  for (int c = threadIdx.x * 8; c < width; c += 256) *reinterpret_cast<Eight *>(out + row * width + c) = e;  // eight
}

// race: write one, write one; global; block grid (unless width % 4 == 0)
__global__ void rows_of_members(float *out, int height, int width) {
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= height) return;
  for (int c = threadIdx.x * 4; c < width; c += 128)
    for (int i = 0; i < 4; i++) out[row * width + c + i] = row;  // one
}

// race: write any, write any; global; warp block grid
__global__ void no_row_is_aligned(float *out) {
  *reinterpret_cast<float4 *>(out + blockIdx.x * blockDim.x + threadIdx.x) = make_float4(threadIdx.x, 0, 0, 0);  // any
}

void run(float *out, short *words, int height, int width) {
  rows_of_vectors<<<(height + 3) / 4, dim3(32, 4)>>>(out, height, width);
  rows_of_records<<<(height + 3) / 4, dim3(32, 4)>>>(words, height, width);
  rows_of_members<<<(height + 3) / 4, dim3(32, 4)>>>(out, height, width);
  no_row_is_aligned<<<8, 64>>>(out);
}
"""

test_kernel = verdicts(ROWS)

ONE = """
DECLARED
__global__ void rows(int *out, int width) {
  for (int c = threadIdx.x * 2; c < width; c += 64)
    *reinterpret_cast<TYPE *>(out + blockIdx.x * width + c) = TYPE{(int)blockIdx.x, c};  // two
}
int main(int count, char **words) {
  int *out, width = WIDTH;
  CONDITION
  cudaMalloc(&out, 1 << 20);
  rows<<<8, 32>>>(out, width);
}
"""
ANY = "count * 3 + 1"
SAFE = ["safe: 1 of 1 pairs"]
RACE = "race: write two, write two; global; grid"


@pytest.mark.parametrize(
    ("declared", "type_", "width", "condition", "expected"),
    [
        ("", "int2", ANY, "", SAFE),
        ("struct alignas(8) Two { int a, b; };", "Two", ANY, "", SAFE),
        ("struct Two { int a, b; };", "Two", ANY, "", [f"{RACE} (unless width % 2 == 0)"]),
        ("typedef int2 Two __attribute__((aligned(4)));", "Two", ANY, "", [f"{RACE} (unless width % 2 == 0)"]),
        ("struct __attribute__((packed)) P { char a; int2 b; };", "int2", ANY, "", [f"{RACE} (unless width % 2 == 0)"]),
        ("", "int2", "7", "", [RACE]),
        ("", "int2", "8", "", SAFE),
        ("", "int2", ANY, "if (width % 2 == 0) return 1;", [RACE]),
        ("", "int2", ANY, "if (width % 2 != 0) return 1;", SAFE),
    ],
)
def test_what_is_aligned(
    tmp_path_factory: pytest.TempPathFactory, declared: str, type_: str, width: str, condition: str, expected: list[str]
):
    text = ONE.replace("DECLARED", declared).replace("TYPE", type_).replace("WIDTH", width)
    text = text.replace("CONDITION", condition)
    assert observed(check(tmp_path_factory.mktemp("rows"), text), text)["rows"] == expected


def test_the_assumption_is_listed(tmp_path_factory: pytest.TempPathFactory):
    text = ONE.replace("DECLARED", "").replace("TYPE", "int2").replace("WIDTH", ANY).replace("CONDITION", "")
    (kernel,) = check(tmp_path_factory.mktemp("rows"), text).kernels
    said = "accesses of 8 bytes are at multiples of 8, as their types require (else they are an error)"
    assert [use.span.line for launch in kernel.launches for use in launch.assumptions if use.text == said] == [5]
