"""Parts of one array on several streams, which overlap for some of the inputs that the program takes."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check

PROGRAM = """
#include <algorithm>
#include <cstdlib>
#include <cuda_runtime.h>
__global__ void twice(double *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2;
}
__global__ void invert(unsigned char *image, size_t pitch, int width, int lines) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < lines) image[y * pitch + x] = 255 - image[y * pitch + x];
}
int main(int argc, char **argv) {
  if (argc < 2) return 1;
  const int n = atoi(argv[1]);
  CHECK
  const int ceil = (n + 3) / 4, half = (n + 1) / 2;
  double *a; cudaMalloc(&a, n * sizeof(double));
  size_t pitch = 1024;
  unsigned char *image, *host; cudaMallocHost(&host, n * 1000);
  MADE
  cudaStream_t s[4];
  for (auto &stream : s) cudaStreamCreate(&stream);
  cudaDeviceSynchronize();
  BODY
  cudaDeviceSynchronize();
}
"""
CHECKED = "if (n < 4 || n > 100000) return 1;"
FROM_BELOW = "if (n < 4) return 1;"
FOURTHS = (
    "for (int k = 0; k < 4; k++) { int begin = {}; int size = std::min(ceil, n - begin);"
    "if (size > 0) twice<<<(size + 255) / 256, 256, 0, s[k]>>>(a + begin, size); }"
)
PLAIN = "cudaMalloc(&image, n * pitch);"
PITCHED = "cudaMallocPitch(&image, &pitch, 1000, n);"
LINES = (
    "invert<<<dim3(32, (half + 7) / 8), dim3(32, 8), 0, s[0]>>>(image, pitch, 1000, half);"
    "cudaMemcpy2DAsync(image + {0} * pitch, pitch, host, 1000, 1000, n - {0}, cudaMemcpyHostToDevice, s[1]);"
)
BESIDE = (
    "invert<<<dim3(32, (n + 7) / 8), dim3(32, 8), 0, s[0]>>>(image, pitch, {}, n);"
    "cudaMemset2DAsync(image + 500, pitch, 0, 500, n, s[1]);"
)


def outcome(folder: Path, body: str, check_: str = CHECKED, made: str = PLAIN) -> tuple[Outcome, int, int]:
    text = PROGRAM.replace("BODY", body).replace("CHECK", check_).replace("MADE", made)
    (launch,) = (x for k in check(folder, text).kernels for x in k.launches if x.launch_span is not None)
    return launch.outcome, launch.pairs, launch.discharged


@pytest.mark.parametrize(("body", "pairs"), [(FOURTHS, 2), (LINES, 2)])
def test_parts_that_overlap_for_inputs_that_the_program_checks_race(tmp_path: Path, body: str, pairs: int) -> None:
    floor, ceil = ("k * (n / 4)", "k * ceil") if body == FOURTHS else ("(n / 2)", "half")
    assert outcome(tmp_path, body.replace("{0}", "{}").replace("{}", floor)) == (Outcome.RACE, pairs, pairs)
    assert outcome(tmp_path, body.replace("{0}", "{}").replace("{}", ceil)) == (Outcome.SAFE, pairs, pairs)


def test_parts_that_overlap_for_other_inputs_are_open(tmp_path: Path) -> None:
    assert outcome(tmp_path, FOURTHS.replace("{}", "k * (n / 4)"), FROM_BELOW)[0] is Outcome.UNKNOWN
    assert outcome(tmp_path, FOURTHS.replace("{}", "k * ceil"), FROM_BELOW) == (Outcome.SAFE, 2, 2)


def test_a_pitch_that_the_allocation_chooses_leaves_it_open(tmp_path: Path) -> None:
    assert outcome(tmp_path, LINES.replace("{0}", "(n / 2)"), made=PITCHED)[0] is Outcome.UNKNOWN
    assert outcome(tmp_path, LINES.replace("{0}", "half"), made=PITCHED) == (Outcome.SAFE, 2, 2)


def test_a_fill_of_the_columns_beside_those_of_a_kernel_meets_no_element_of_it(tmp_path: Path) -> None:
    assert outcome(tmp_path, BESIDE.replace("{}", "501")) == (Outcome.RACE, 2, 2)
    assert outcome(tmp_path, BESIDE.replace("{}", "500")) == (Outcome.SAFE, 2, 2)
