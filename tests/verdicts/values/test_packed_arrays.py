"""Arrays behind each other in one allocation: indexes out of memory stay in theirs, or there is a race."""

from pathlib import Path

import pytest

from tests.checking import check, observed

SOURCE = """
#include <cstdlib>
__global__ void rows(float *x, const float *y, const unsigned *from, const unsigned *to, unsigned width) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned c = 0; c < width + MORE; c++) {
    float got = y[from[t] * width + c];  // from
    atomicAdd(&x[to[t] * width + c], got);  // to
  }
}
__global__ void items(float *x, const float *y, const int *from, const int *to) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float got = y[from[t]];  // from
  atomicAdd(&x[to[t]], got);  // to
}
int main(int count, char **words) {
  unsigned n = atoi(words[1]), m = atoi(words[2]), w = atoi(words[3]);
  unsigned *from, *to, *begin = new unsigned[count];
  float *all;
  cudaMalloc(&all, sizeof(float) * (n + m) * w);
  cudaMalloc(&from, 4096);
  cudaMalloc(&to, 4096);
  for (int i = 0; i < count; i++) {
    begin[i] = 0;
    for (int k = 0; k < atoi(words[i]); k++) begin[i] += k % 2 ? n * w : m * w;
  }
  LAUNCH
}
"""
ROWS = "rows<<<16, 64>>>({}, {}, from, to, w);"
ITEMS = "items<<<16, 64>>>({}, {}, (int *)from, (int *)to);"


def said(folder: Path, launch: str, more: str = "0") -> dict[str, list[str]]:
    text = SOURCE.replace("LAUNCH", launch).replace("MORE", more)
    return {k: v for k, v in observed(check(folder, text), text).items() if not v[0].startswith("safe: 0")}


def race(confidence: str) -> list[str]:
    return [f"race: atomic to, read from; global; warp block grid ({confidence})"]


@pytest.mark.parametrize(
    ("x", "y", "condition"),
    [
        ("all", "all + n * w", "within(to, (y - x) / width)"),
        ("all + n * w", "all", "within(from, (x - y) / width)"),
        (
            "all + begin[0]",
            "all + begin[2]",
            "(y <= x ? within(from, (x - y) / width) : within(to, (y - x) / width))",
        ),
    ],
)
def test_rows_stay_in_their_array(tmp_path: Path, x: str, y: str, condition: str) -> None:
    assert said(tmp_path, ROWS.format(x, y)) == {"rows": race(f"unless {condition}")}


def test_indexes_may_be_negative(tmp_path: Path) -> None:
    condition = "unless within(to.i4, y - x) && nonnegative(from.i4)"
    assert said(tmp_path, ITEMS.format("all", "all + n")) == {"items": race(condition)}


@pytest.mark.parametrize(("x", "y"), [("all", "all"), ("all", "all + 1"), ("all + n * w", "all + n * w")])
def test_no_arrays_begin_at_one_place_or_a_few_elements_apart(tmp_path: Path, x: str, y: str) -> None:
    assert said(tmp_path, ROWS.format(x, y)) == {"rows": race("data-dependent")}


def test_rows_that_go_on_behind_their_end_leave_their_array(tmp_path: Path) -> None:
    assert said(tmp_path, ROWS.format("all", "all + n * w"), more="1") == {"rows": race("data-dependent")}
