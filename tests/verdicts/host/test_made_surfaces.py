"""Surfaces that a program makes: of arrays of their own, or two of one array, known by their place in a table alone."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check, decided, outcomes_of_launches

PROGRAM = """
#include <utility>
__global__ void shift(cudaSurfaceObject_t from, cudaSurfaceObject_t to) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  surf2Dwrite(surf2Dread<float>(from, (x + 1) * 4, y, cudaBoundaryModeTrap), to, x * 4, y);
}
int main(int argc, char **argv) {
  const int n = COUNT;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t arrays[8];
  cudaSurfaceObject_t surfaces[8];
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  for (int i = 0; i < n; i++) {
    cudaMallocArray(&arrays[i], &format, 4097, 64, cudaArraySurfaceLoadStore);
    resource.res.array.array = ARRAY;
    cudaCreateSurfaceObject(&surfaces[i], &resource);
  }
  for (int t = 0; t < 100; t++)
    shift<<<dim3(16, 64), 256>>>(FROM, TO);
}
"""

WAYS = {  # with the number of pairs, and of those that are discharged
    "two of a table, by turns": ("2", "arrays[i]", "surfaces[t & 1]", "surfaces[(t + 1) & 1]", Outcome.SAFE, (4, 4)),
    "two of one array": ("2", "arrays[0]", "surfaces[t & 1]", "surfaces[(t + 1) & 1]", Outcome.RACE, (7, 4)),
    "two of one array at their places": ("2", "arrays[0]", "surfaces[0]", "surfaces[1]", Outcome.RACE, (2, 1)),
    "two of a table, at their places": ("2", "arrays[i]", "surfaces[0]", "surfaces[1]", Outcome.SAFE, (1, 1)),
    "many, one after the other": ("argc", "arrays[i]", "surfaces[t]", "surfaces[t + 1]", Outcome.UNKNOWN, (0, 0)),
    "many of one array": ("argc", "arrays[0]", "surfaces[t]", "surfaces[t + 1]", Outcome.UNKNOWN, (0, 0)),
    "of any two places": ("2", "arrays[i]", "surfaces[t & 1]", "surfaces[argc & 1]", Outcome.RACE, (4, 2)),
    "of an array made before": ("2", "arrays[i & 2]", "surfaces[t & 1]", "surfaces[(t + 1) & 1]", Outcome.RACE, (7, 4)),
}


@pytest.mark.parametrize("way", WAYS)
def test_way(tmp_path: Path, way: str) -> None:
    count, array, from_, to, outcome, pairs = WAYS[way]
    text = PROGRAM.replace("COUNT", count).replace("ARRAY", array).replace("FROM", from_).replace("TO", to)
    report = check(tmp_path, text)
    assert outcomes_of_launches(report) == {outcome}
    assert decided(report) == pairs
