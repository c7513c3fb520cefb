"""Contents of containers that iterators and algorithms leave alone, copy or change."""

import pytest

from hgrd.findings.model import Outcome, Report
from tests.checking import check

_PROGRAM = """
#include <algorithm>
#include <numeric>
#include <vector>
#include <cuda_runtime.h>
__global__ void scatter(const int *at, float *out) {
  int i = blockIdx.x * 128 + threadIdx.x;
  out[at[i]] = i;
}
int main() {
  const int n = 512, half = n / 2;
  std::vector<int> p(n), q(n, 7);
  int *d; float *out;
  cudaMalloc(&d, n * sizeof(int));
  cudaMalloc(&out, n * sizeof(float));
  std::iota(p.begin(), p.end(), 0);
  FILL
  cudaMemcpy(d, p.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  COPY
  scatter<<<4, 128>>>(d, out);
}
"""

_KEPT = {
    "filled": "",
    "read by value": "long sum = 0; for (auto v : p) { if (v > 100) v = 100; sum += v; }",
    "read by iterators": "int s = 0; for (auto i = p.begin(); i != p.end(); ++i) s += *i >> 1;",
    "sum": "int s = std::accumulate(p.begin(), p.end(), 0);",
    "greatest": "int s = *std::max_element(p.begin(), p.end());",
    "looked at": "bool b = std::is_sorted(p.begin(), p.end());",
    "reversed": "std::reverse(p.begin(), p.end());",
    "copied from": "std::copy(p.begin(), p.end(), q.begin()); q[3] = q[4];",
    "moved from": "std::move(p.begin(), p.end(), q.begin()); q[3] = q[4];",
    "copied to": "std::iota(q.begin(), q.end(), 5 - 5); std::copy(q.begin(), q.end(), p.begin());",
}
_LOST = {
    "changed through references": "for (auto &v : p) if (v > 100) v = 100;",
    "changed through iterators": "for (auto i = p.begin(); i != p.end(); ++i) *i = 7;",
    "one element": "*p.begin() = 5;",
    "one element further on": "auto i = p.begin(); i += 3; *i = 5;",
    "one element by subscript": "auto i = p.begin() + 2; i[1] = 5;",
    "at the end": "auto i = p.end(); --i; *i = 5;",
    "copied to": "std::copy(q.begin(), q.end(), p.begin());",
    "moved to": "std::move(q.begin(), q.end(), p.begin());",
    "moved to in part": "std::move(q.begin(), q.begin() + 8, p.begin() + 8);",
    "changed by a function object": "int k = std::count_if(p.begin(), p.end(), [](int &v) { v = 3; return true; });",
}
_PARTS_KEPT = {
    "the second half again": "cudaMemcpy(d + half, p.data() + half, half * sizeof(int), cudaMemcpyHostToDevice);",
    "behind the end": "cudaMemset(d + n, 0, sizeof(int));",
}
_PARTS_LOST = {
    "the first half twice": "cudaMemcpy(d + half, p.data(), half * sizeof(int), cudaMemcpyHostToDevice);",
    "the second half cleared": "cudaMemset(d + half, 0, half * sizeof(int));",
    "all cleared": "cudaMemset(d, 0, n * sizeof(int));",
}


def _report(folder, fill: str, copy: str) -> Report:
    return check(folder, _PROGRAM.replace("FILL", fill).replace("COPY", copy))


@pytest.mark.parametrize("fill", _KEPT.values(), ids=_KEPT)
def test_what_only_looks_at_elements_or_copies_them_leaves_their_contents_known(tmp_path, fill):
    (kernel,) = _report(tmp_path, fill, "").kernels
    assert kernel.outcome is Outcome.SAFE


@pytest.mark.parametrize("fill", _LOST.values(), ids=_LOST)
def test_a_change_of_elements_makes_them_unknown(tmp_path, fill):
    (kernel,) = _report(tmp_path, fill, "").kernels
    assert kernel.outcome is Outcome.RACE


def test_a_change_of_one_element_that_is_not_known_leaves_them_open(tmp_path):
    (kernel,) = _report(tmp_path, "*std::max_element(p.begin(), p.end()) = 0;", "").kernels
    (launch,) = kernel.launches
    assert [p.reason for p in launch.open_pairs] == ["no conflict was found with the contents that arrays have"]
    assert (kernel.outcome, launch.pairs, launch.discharged) == (Outcome.UNKNOWN, 1, 0)


@pytest.mark.parametrize("copy", _PARTS_KEPT.values(), ids=_PARTS_KEPT)
def test_parts_are_known_that_are_not_overwritten(tmp_path, copy):
    (kernel,) = _report(tmp_path, "", copy).kernels
    assert kernel.outcome is Outcome.SAFE


@pytest.mark.parametrize("copy", _PARTS_LOST.values(), ids=_PARTS_LOST)
def test_parts_are_not_known_that_are_overwritten(tmp_path, copy):
    (kernel,) = _report(tmp_path, "", copy).kernels
    assert kernel.outcome is Outcome.RACE


def test_two_halves_make_a_whole(tmp_path):
    halves = """cudaMemset(d, 0, n * sizeof(int));
  cudaMemcpy(d, p.data(), half * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(d + half, p.data() + half, half * sizeof(int), cudaMemcpyHostToDevice);"""
    (kernel,) = check(tmp_path, _PROGRAM.replace("FILL", "").replace("COPY", halves)).kernels
    assert kernel.outcome is Outcome.SAFE
