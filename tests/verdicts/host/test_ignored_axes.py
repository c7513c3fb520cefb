"""Launches of unknown extents, of kernels that do not look at all axes."""

from pathlib import Path

import pytest

from tests.checking import check, observed, verdicts

FLAT = "gridDim.y == 1 && gridDim.z == 1 && blockDim.y == 1 && blockDim.z == 1"

SOURCE = """
dim3 many(int n);

// race: read item, write item; global; warp block grid (unless FLAT)
// race: write item, write item; global; warp block grid (unless FLAT)
__global__ void rows(int *a) { a[blockIdx.x * blockDim.x + threadIdx.x] += 1; }  // item

// race: read next, write next; global; warp block grid
// race: write next, write next; global; warp block grid (unless FLAT)
__global__ void shifted(int *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] = a[i + 1] + 1;  // next
}

// race: read cell, write cell; global; warp block grid (unless FLAT && n <= m)
// race: write cell, write cell; global; warp block grid (unless FLAT && n <= m)
__global__ void cells(int *a, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < n; j++) a[i * m + j] += i;  // cell
}

// race: read looked, write looked; global; warp block
// race: write looked, write looked; global; warp block
__global__ void looks(int *a, int *b) {
  a[blockIdx.x * blockDim.x + threadIdx.x] += 1;  // looked
  b[((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * 1024 +
    (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x] = 1;
}

void run(int *a, int *b, int n, int m) {
  rows<<<many(n), many(m)>>>(a);
  shifted<<<many(n), many(m)>>>(a);
  cells<<<many(n), many(m)>>>(a, n, m);
  looks<<<1, many(m)>>>(a, b);
}
""".replace("FLAT", FLAT)

test_kernel = verdicts(SOURCE)

HOSTED = """
#include <cstdlib>
__global__ void rows(int *a) { a[blockIdx.x * blockDim.x + threadIdx.x] += 1; }  // item
int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  int *a;
  cudaMalloc(&a, 4096);
  CHECK
  rows<<<4, dim3(32, n)>>>(a);
}
"""


@pytest.mark.parametrize(("said", "unless"), [("", " (unless blockDim.y == 1)"), ("if (n < 2 || n > 8) return 1;", "")])
def test_extents_that_the_host_says_something_of(tmp_path: Path, said: str, unless: str):
    """Where it excludes 1, the race is one of the program."""
    text = HOSTED.replace("CHECK", said)
    item = f"item; global; block{unless}"
    found = observed(check(tmp_path, text), text)["rows"]
    assert found == [f"race: read item, write {item}", f"race: write item, write {item}"]
