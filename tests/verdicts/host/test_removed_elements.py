"""Elements that are removed from a container leave what the program has made of the others."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check

PROGRAM = """
#include <algorithm>
#include <fstream>
#include <vector>
__global__ void count(const int *ids, int *hits, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) hits[ids[i]] += 1;
}

int main(int argc, char **argv) {
  std::vector<int> ids(1000);
  std::ifstream file(argv[1]);
  for (int i = 0; i < 1000; i++) file >> ids[i];
  BODY
  int n = ids.size(), *d, *hits;
  cudaMalloc(&d, n * sizeof(int));
  cudaMalloc(&hits, 4000);
  cudaMemcpy(d, ids.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  count<<<(n + 255) / 256, 256>>>(d, hits, n);
}
"""
SORTED = "std::sort(ids.begin(), ids.end());"
UNIQUE = f"{SORTED} auto last = std::unique(ids.begin(), ids.end());"


@pytest.mark.parametrize(
    ("body", "outcome"),
    [
        ("", Outcome.RACE),
        ("ids.pop_back();", Outcome.RACE),
        (f"{UNIQUE} ids.erase(last, ids.end());", Outcome.SAFE),
        (f"{SORTED} ids.erase(std::unique(ids.begin(), ids.end()), ids.end());", Outcome.SAFE),
        ("ids.erase(std::unique(ids.begin(), ids.end()), ids.end());", Outcome.UNKNOWN),
    ],
)
def test_elements(tmp_path: Path, body: str, outcome: Outcome) -> None:
    assert check(tmp_path, PROGRAM.replace("BODY", body)).kernels[0].outcome is outcome


def test_what_the_program_has_made(tmp_path: Path) -> None:
    made = PROGRAM.replace("file >> ids[i]", "ids[i] = i").replace("BODY", "ids.erase(ids.begin() + argc);")
    (kernel,) = check(tmp_path, made).kernels
    assert (kernel.outcome, kernel.findings) == (Outcome.UNKNOWN, ())
