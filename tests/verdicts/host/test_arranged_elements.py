"""Input in an order that the program has computed: where which element comes is no input."""

from pathlib import Path

import pytest

from hgrd.findings.model import Confidence
from tests.checking import check

PROGRAM = """
#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <vector>
__global__ void put(const int *ids, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[ids[i]] = i;
}
int main(int argc, char **argv) {
  const int n = 1 << 14;
  std::vector<int> keys(n), order(n), ids(n);
  for (auto &k : keys) k = std::rand() % n;
  ORDER
  for (int i = 0; i < n; i++) ids[i] = keys[order[i]];
  int *d;
  float *out;
  cudaMalloc(&d, n * sizeof(int));
  cudaMalloc(&out, n * sizeof(float));
  cudaMemcpy(d, ids.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  put<<<n / 256, 256>>>(d, out, n);
  cudaDeviceSynchronize();
}
"""
SORTED = """std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return keys[a] < keys[b]; });"""


@pytest.mark.parametrize(
    ("order", "confidence"),
    [(SORTED, Confidence.CONDITIONAL), ("for (auto &o : order) o = std::rand() % n;", Confidence.DEFINITE)],
)
def test_elements(tmp_path: Path, order: str, confidence: Confidence) -> None:
    """Of the sorted ones it is said what would order the threads: that no element comes twice."""
    (kernel,) = check(tmp_path, PROGRAM.replace("ORDER", order)).kernels
    assert {finding.confidence for finding in kernel.findings} == {confidence}
