"""What functions of the library get by pointers they may write, unless it is known that they only look."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check, outcomes_of_launches

PROGRAM = """
#include <cuda_runtime.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <random>
#include <tuple>
#include <vector>
__global__ void add(int *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] += i; }
static std::pair<int, int> both() { return {1, 2}; }
static int compare(const void *x, const void *y) { return *(const int *)x - *(const int *)y; }
int main() {
  int *d, *h, v = 0;
  cudaMalloc(&d, 4096);
  cudaMallocHost(&h, 4096);
  std::vector<int> w(8);
  std::mt19937 g(1);
  FILE *file = fopen("numbers", "r");
  cudaStream_t a;
  cudaStreamCreate(&a);
  cudaMemcpyAsync(d, h, 4096, cudaMemcpyHostToDevice, a);
  add<<<4, 256, 0, a>>>(d, 1024);
  WAIT
  USE
  cudaStreamSynchronize(a);
}
"""
WRITING = {
    "std::swap(h[0], v);": Outcome.RACE,
    "std::make_heap(h, h + 4);": Outcome.RACE,
    "qsort(h, 4, 4, compare);": Outcome.UNKNOWN,
    'snprintf((char *)h, 16, "%d", v);': Outcome.UNKNOWN,
    "std::tie(h[0], v) = both();": Outcome.RACE,
    'scanf("%d", h);': Outcome.UNKNOWN,
    'sscanf("12", "%d", &h[3]);': Outcome.UNKNOWN,
    'fscanf(file, "%d", &h[1]);': Outcome.UNKNOWN,
    "std::sample(w.begin(), w.end(), h, 2, g);": Outcome.UNKNOWN,
    "std::set_union(w.begin(), w.begin() + 2, w.begin() + 2, w.begin() + 4, h);": Outcome.UNKNOWN,
    "double m = std::frexp(2.5, &h[0]);": Outcome.UNKNOWN,
}
READING = {
    "if (h[0]) v = 1;": Outcome.RACE,
    "v = atoi((char *)h);": Outcome.UNKNOWN,
    'printf("%s", (char *)h);': Outcome.UNKNOWN,
    "std::cout << (char *)h;": Outcome.UNKNOWN,
    "puts((char *)h);": Outcome.UNKNOWN,
}
LOOKING = [
    'printf("%p", (void *)h);',
    "std::unique_ptr<int, void (*)(int *)> u(h, [](int *) {});",
    "int *p = std::next(h);",
    "v = std::distance(h, h + 4);",
]


@pytest.mark.parametrize("use", WRITING)
def test_a_buffer_that_is_filled_too_early(tmp_path: Path, use: str) -> None:
    assert _outcomes(tmp_path / "early", use, "") == {WRITING[use]}
    assert _outcomes(tmp_path / "late", use, "cudaStreamSynchronize(a);") == {Outcome.SAFE}


@pytest.mark.parametrize("use", LOOKING)
def test_a_buffer_whose_address_is_used(tmp_path: Path, use: str) -> None:
    assert _outcomes(tmp_path / "early", use, "") == {Outcome.SAFE}


@pytest.mark.parametrize("use", READING)
def test_a_text_that_is_read_too_early(tmp_path: Path, use: str) -> None:
    back = "cudaMemcpyAsync(h, d, 4096, cudaMemcpyDeviceToHost, a); "
    assert _outcomes(tmp_path / "early", use, back) == {READING[use]}
    assert _outcomes(tmp_path / "late", use, f"{back} cudaStreamSynchronize(a);") == {Outcome.SAFE}


def _outcomes(folder: Path, use: str, wait: str) -> set[Outcome]:
    folder.mkdir()
    return outcomes_of_launches(check(folder, PROGRAM.replace("WAIT", wait).replace("USE", use)))
