"""Buffers that members of a record point to, and constants that functions keep."""

import pytest

from hgrd.findings.model import Report
from tests.checking import cases, check, expected, observed

SOURCE = """
struct Model { float *means; float *spread; float *rows[4]; int n; };
struct Node { Node *left; Node *right; int value; };

// safe: 1 of 1 pairs
__global__ void behind_two_members(Model *m) {
  m->means[threadIdx.x] = m->spread[threadIdx.x + 1];
}

// race: read next, write here; global; warp block (data-dependent)
__global__ void behind_one_member(Model *m) {
  float v = m->means[threadIdx.x + 1];  // next
  m->means[threadIdx.x] = v;  // here
}

// race: read next, write here; global; warp block (data-dependent)
__global__ void behind_elements_of_one_member(Model *m) {
  float v = m->rows[1][threadIdx.x + 1];  // next
  m->rows[0][threadIdx.x] = v;  // here
}

// race: read next, write here; global; warp block (data-dependent)
__global__ void behind_links(Node *m) {
  int v = m->left[threadIdx.x + 1].value;  // next
  m->right[threadIdx.x].value = v;  // here
}

template <int Width> __device__ void halves(int *a, int value) {
  static constexpr int half = Width / 2;
  a[value] = value;
  a[half + value] = value;
}

// safe: 3 of 3 pairs
__global__ void with_a_constant_of_the_function(int *a) {
  if (threadIdx.x < 16) halves<32>(a, threadIdx.x);
}

template <int Width> __device__ void variable_halves(int *a, int value) {
  static int half = Width / 2;
  a[value] = value;  // low
  a[half + value] = value;  // high
}

// race: write high, write low; global; warp (data-dependent)
__global__ void with_a_variable_of_the_function(int *a) {
  if (threadIdx.x < 16) variable_halves<32>(a, threadIdx.x);
}
"""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    return check(tmp_path_factory.mktemp("members"), SOURCE, grid_dim=(1, 1, 1))


@pytest.mark.parametrize("kernel", cases(SOURCE))
def test_kernel(report: Report, kernel: str):
    assert observed(report, SOURCE)[kernel] == expected(SOURCE)[kernel]


def test_that_buffers_do_not_overlap_is_assumed(report: Report):
    kernel = next(k for k in report.kernels if k.kernel == "behind_two_members")
    texts = [use.text for launch in kernel.launches for use in launch.assumptions]
    assert "the memory behind m, *m.spread, *m.means does not overlap" in texts
