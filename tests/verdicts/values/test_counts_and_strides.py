"""Counts and strides are not negative: a race that needs one that is has a precondition."""

from pathlib import Path

import pytest

from hgrd.findings.model import Confidence
from hgrd.races.plausibility.counts_and_strides import counts_and_strides
from tests.checking import check, protocols, verdicts

SOURCE = """
struct Shape { int rows, columns, from; };

// race: write row, write row; global; warp (unless stride >= 0)
__global__ void needs_a_negative_stride(int *a, int stride) {
  if (threadIdx.x < 2) a[threadIdx.x * (stride + 3)] = threadIdx.x;  // row
}

// race: write one, write one; global; warp (unless NOT_NEGATIVE)
__global__ void needs_one_of_many_to_be_negative(int *a, int p, int q, int r, int s, int t, int u, int v) {
  if (threadIdx.x < 2) a[threadIdx.x * (p + q + r + s + t + u + v + 3)] = threadIdx.x;  // one
}

// race: write item, write item; global; warp (unless shape.columns >= 0)
__global__ void needs_a_negative_member(int *a, Shape shape) {
  if (threadIdx.x < 2) a[threadIdx.x * (shape.columns + 3)] = threadIdx.x;  // item
}

// race: write cell, write cell; global; warp (unless 32 <= stride)
__global__ void needs_a_small_stride(int *a, int stride) {
  if (threadIdx.x < 2) a[threadIdx.x * (stride - 3)] = threadIdx.x;  // cell
}

// race: write slot, write slot; global; warp
__global__ void needs_a_negative_offset(int *a, int offset) {
  int at = threadIdx.x + offset;
  if (threadIdx.x < 4) a[at == 1 ? 0 : at + 2] = threadIdx.x;  // slot
}
""".replace("NOT_NEGATIVE", " && ".join(f"{name} >= 0" for name in "pqrstuv"))

test_kernel = verdicts(SOURCE, block_dim=(32, 1, 1), grid_dim=(1, 1, 1))

USES = """
struct Shape { int rows, columns, from; };
__global__ void kernel(int *a, const int *b, Shape shape, int n, int pitch, int width, int offset, int least, int flag,
                       unsigned never, int trips) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || i < least || flag == 3 || i >= never) return;
  for (int j = 0; j < trips; j++)
    a[i * pitch + j + offset + i % width + shape.from] = b[i];
  a[min(i, shape.rows - 1)] = 0;
}
"""


def test_what_bounds_an_index_or_is_multiplied_by_one(tmp_path: Path):
    """Not what is added to it, bounds it from below, chooses, or cannot be negative."""
    found = {s.name for s in counts_and_strides(protocols(tmp_path, USES)["kernel"])}
    assert found == {"n", "pitch", "width", "trips", "shape.rows"}


@pytest.mark.parametrize(
    ("any_arguments", "confidence"), [(False, Confidence.CONDITIONAL), (True, Confidence.DEFINITE)]
)
def test_callers_that_respect_nothing(tmp_path: Path, any_arguments: bool, confidence: Confidence):
    text = SOURCE[: SOURCE.index("// race: write one")]
    (kernel,) = check(tmp_path, text, any_arguments=any_arguments).kernels
    assert [f.confidence for f in kernel.findings] == [confidence]
