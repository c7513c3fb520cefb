"""Specifications in the source (GPUVerify's words) are facts, and nothing without them is safe."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check, verdicts

SOURCE = """
// safe: 2 of 2 pairs
__global__ void required(int *a, int n) {
  __requires(n >= int(blockDim.x * gridDim.x));
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] = a[i + n];
}

// race: read far, write near; global; warp block grid (unless (blockDim.x * 4) <= n)
__global__ void not_required(int *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = a[i + n];  // far
  a[i] = v;  // near
}

// safe: 2 of 2 pairs
__global__ void offset_of_a_pointer(int *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int *p = a + n;
  __requires(__ptr_offset_bytes(p) == 0);
  int v = p[i];
  a[i] = v;
}

// race: read far, write near; global; warp block grid
__global__ void another_offset_of_a_pointer(int *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int *p = a + n;
  __requires(__ptr_offset_bytes(p) >= 0);
  int v = p[i];  // far
  a[i] = v;  // near
}

// safe: 2 of 2 pairs
__global__ void offset_of_either(int *a, int n, bool which) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int *p = which ? a + n : a;
  __requires(__ptr_offset_bytes(p) == 0);
  int v = p[i];
  a[i] = v;
}

// safe: 1 of 1 pairs
__global__ void different_from_that_of_another_thread(int *a, const unsigned *p) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __requires(p[i] != p[__other_int(i)]);
  a[p[i]] = i;
}

// race: write place, write place; global; warp block grid (unless distinct(p))
__global__ void perhaps_that_of_another_thread(int *a, const unsigned *p) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __requires(p[i] != i || p[i] != p[__other_int(i)]);
  a[p[i]] = i;  // place
}

// safe: 1 of 1 pairs
__global__ void above_that_of_threads_below(int *a, const unsigned *p) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __requires(__implies(__other_int(i) < i, p[__other_int(i)] < p[i]));
  a[p[i]] = i;
}

// safe: 1 of 1 pairs
__global__ void distinct(int *a, const int *p) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __requires(__implies(__enabled(), __distinct_int(p[i])));
  a[p[i]] = i;
}

// race: write place, write place; global; warp block grid (unless distinct(p))
__global__ void distinct_where_reached(int *a, const int *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) __assume(__distinct_int(p[i]));
  a[p[i]] = i;  // place
}

// safe: 1 of 1 pairs
__global__ void distinct_and_reached(int *a, const int *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    __assume(__distinct_int(p[i]));
    a[p[i]] = i;
  }
}

// race: write place, write place; global; warp block grid (unless distinct(p))
__global__ void an_invariant_is_a_claim(int *a, const int *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; __invariant(__distinct_int(p[i])), j < n; j++) a[p[i]] = i;  // place
}

// safe: 1 of 1 pairs
__global__ void uniform(int *a, const int *p) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __requires(__uniform_int(p[i]));
  a[i + p[i]] = i;
}

// race: write place, write place; global; warp block grid (data-dependent)
__global__ void not_uniform(int *a, const int *p) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i + p[i]] = i;  // place
}

// safe: 1 of 1 pairs
__global__ void said_of_what_others_write(int *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __requires(a[i + 1] > 0);
  a[i] = 0;
}

// race: read far, write near; global; warp block grid
__global__ void read_of_what_others_write(int *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = a[i + 1];  // far
  a[i] = v;  // near
}
"""

test_kernel = verdicts(SOURCE, grid_dim=(4, 1, 1))


AXIOM = """
__device__ int stride;
__axiom(blockDim.x == 64);
__axiom(stride >= 64);
__global__ void k(int *a) { a[blockIdx.x * stride + threadIdx.x] = threadIdx.x; }
"""


def outcome(folder: Path, text: str) -> Outcome:
    return check(folder, text, grid_dim=(4, 1, 1)).kernels[0].outcome


def test_axioms_hold_in_every_kernel(tmp_path: Path):
    report = check(tmp_path, AXIOM, grid_dim=(4, 1, 1))
    assert report.kernels[0].outcome is Outcome.SAFE
    used = [use.text for use in report.kernels[0].launches[0].assumptions]
    assert [text for text in used if text.startswith("axiom")] == ["axiom blockDim.x == 64", "axiom 64 <= stride[0]"]


@pytest.mark.parametrize("axiom", ["__axiom(blockDim.x == 64);\n", "__axiom(stride >= 64);\n"])
def test_without_an_axiom(tmp_path: Path, axiom: str):
    assert outcome(tmp_path, AXIOM.replace(axiom, "")) is Outcome.RACE


ROUNDS = """
__global__ void k(int *a, const int *p, int n) {
  for (int r = 0; r < n; r++) {
    __assume(__distinct_int(p[threadIdx.x] + r));
    a[p[threadIdx.x] + r] = threadIdx.x;
    __syncthreads();
  }
}
"""


def test_the_other_thread_is_in_the_same_iteration(tmp_path: Path):
    without = ROUNDS.replace("__syncthreads();", "")
    outcomes = [check(tmp_path, text, grid_dim=(1, 1, 1)).kernels[0].outcome for text in (ROUNDS, without)]
    assert outcomes == [Outcome.SAFE, Outcome.RACE]


def test_what_is_said_of_two_threads_is_listed(tmp_path: Path):
    kernel = """
__global__ void k(int *a, const unsigned *p) {
  int i = threadIdx.x;
  __requires(p[i] != p[__other_int(i)]);
  a[p[i]] = i;
}
"""
    report = check(tmp_path, kernel, grid_dim=(1, 1, 1))
    used = [use.text for use in report.kernels[0].launches[0].assumptions]
    assert "assert(p[threadIdx.x] != p[other(threadIdx.x)])" in used
