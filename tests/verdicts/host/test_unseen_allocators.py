"""Functions without a body that may give memory which another call gave, whatever they are called."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check

SHIFT = """
#include <cuda_runtime.h>
#include <cstdlib>
DECLARED
__global__ void k(const float *a, float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 1 < n) b[i] = a[i + 1];
}
int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  float *a, *b;
  MADE
  k<<<(n + 255) / 256, 256>>>(a, b, n);
}
"""


def outcome(folder: Path, declared: str, made: str) -> Outcome:
    (kernel,) = check(folder, SHIFT.replace("DECLARED", declared).replace("MADE", made)).kernels
    return kernel.outcome


@pytest.mark.parametrize(
    ("declared", "made"),
    [
        ("float *alloc_floats(int n);", "a = alloc_floats(n), b = alloc_floats(n);"),
        ('extern "C" float *pool_alloc(int n);', "a = pool_alloc(n), b = pool_alloc(n);"),
        ("struct Pool { float *alloc(int n); } p;", "a = p.alloc(n), b = p.alloc(n);"),
        ("namespace my { float *malloc(int n); }", "a = my::malloc(n), b = my::malloc(n);"),
        ("float *allocate(float *x);", "cudaMalloc(&b, 4 * n); a = allocate(b);"),
        ("void make(float **p, int n);", "make(&a, n), make(&b, n);"),
        ("int cudaMallocCached(float **p, int n);", "cudaMallocCached(&a, n), cudaMallocCached(&b, n);"),
        ("void swap(float *&x, float *&y);", "cudaMalloc(&a, 4 * n), cudaMalloc(&b, 4 * n); swap(a, b);"),
    ],
)
def test_functions_of_the_program_without_a_body(tmp_path: Path, declared: str, made: str) -> None:
    assert outcome(tmp_path, declared, made) is Outcome.UNKNOWN


@pytest.mark.parametrize(
    ("declared", "made", "expected"),
    [
        ("", "cudaMalloc(&a, 4 * n), cudaMalloc(&b, 4 * n);", Outcome.SAFE),
        ("", "posix_memalign((void **)&a, 64, 4 * n), posix_memalign((void **)&b, 64, 4 * n);", Outcome.SAFE),
        ('extern "C" void *malloc(size_t n);', "a = (float *)malloc(4 * n), b = (float *)malloc(4 * n);", Outcome.SAFE),
        ("float *alloc(int n) { float *p; cudaMalloc(&p, n); return p; }", "a = alloc(n), b = alloc(n);", Outcome.SAFE),
        (
            "static float *kept; float *alloc(int n) { return kept; }",
            "cudaMalloc(&kept, 4 * n); a = alloc(n), b = alloc(n);",
            Outcome.RACE,
        ),
    ],
)
def test_functions_of_libraries_and_functions_with_a_body(
    tmp_path: Path, declared: str, made: str, expected: Outcome
) -> None:
    assert outcome(tmp_path, declared, made) is expected
