"""Containers that are copies of others, are assigned to, or take over what others hold: their contents are known."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check, decided

SOURCE = """
#include <cstdlib>
#include <vector>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
__global__ void scatter(float *sum, const int *at, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) sum[at[i]] += 1;
}
void outside(std::vector<int> &v);
void zero(std::vector<int> &v) { for (size_t i = 0; i < v.size(); i++) v[i] = 0; }
std::vector<int> falling(int n) {
  std::vector<int> made(n);
  for (int i = 0; i < n; i++) made[i] = n - 1 - i;
  return made;
}
int main(int argc, char **argv) {
  int n = atoi(argv[1]), c = atoi(argv[2]), *d;
  if (n < 2 || n > (1 << 22)) return 1;
  float *sum;
  cudaMalloc(&sum, n * 4);
  cudaMalloc(&d, n * 4);
  std::vector<int> w(n);
  for (int i = 0; i < n; i++) w[i] = n - 1 - i;
  BETWEEN
  scatter<<<(n + 127) / 128, 128>>>(sum, PLACES, n);
}
"""
COPY = " cudaMemcpy(d, v.data(), n * sizeof(int), cudaMemcpyHostToDevice);"


def outcome(folder: Path, between: str) -> tuple[Outcome, tuple[int, int]]:
    on_device = "device_vector" in between
    places = "thrust::raw_pointer_cast(v.data())" if on_device else "d"
    text = SOURCE.replace("BETWEEN", between + ("" if on_device else COPY)).replace("PLACES", places)
    report = check(folder, text)
    return report.kernels[0].outcome, decided(report)


@pytest.mark.parametrize(
    "between",
    [
        "std::vector<int> v = falling(n);",
        "std::vector<int> v = w; zero(w);",
        "std::vector<int> v(w.begin(), w.end()); zero(w);",
        "std::vector<int> v(n); v = w; zero(w);",
        "std::vector<int> v; v = falling(n);",
        "std::vector<int> v; v.assign(w.begin(), w.end());",
        "std::vector<int> v = std::move(w);",
        "std::vector<int> v(n); v = std::move(w);",
        "std::vector<int> v(n); v.swap(w);",
        "thrust::device_vector<int> v = w; zero(w);",
        "thrust::device_vector<int> v(n); v = w; zero(w);",
        "thrust::device_vector<int> v(w.begin(), w.end());",
        "thrust::host_vector<int> u(w.begin(), w.end()); thrust::device_vector<int> v = u;",
    ],
)
def test_what_a_copy_holds(between: str, tmp_path: Path) -> None:
    assert outcome(tmp_path, between) == (Outcome.SAFE, (2, 2))


@pytest.mark.parametrize(
    "between",
    [
        "zero(w); std::vector<int> v = w;",
        "std::vector<int> v = w; v[1] = v[0];",
        "std::vector<int> v = w; zero(v);",
        "std::vector<int> v = w; outside(v);",
        "std::vector<int> v = w; for (int i = 0; i < n; i++) v[i] = 0;",
        "std::vector<int> v = std::move(w); for (int i = 0; i < n; i++) v[i] = 0;",
        "int *p = w.data(); std::vector<int> v = std::move(w); p[0] = p[1];",
        "std::vector<int> v, u(n); zero(u); v = std::move(w); v = std::move(u);",
        "thrust::device_vector<int> v = w; v[0] = v[1];",
        "thrust::device_vector<int> v = w; thrust::fill(v.begin(), v.end(), 0);",
        "std::vector<int> v = w; v.assign(v.begin() + 1, v.end()); v.push_back(0);",
    ],
)
def test_what_is_stored_in_a_copy(between: str, tmp_path: Path) -> None:
    assert outcome(tmp_path, between) == (Outcome.RACE, (2, 0))


@pytest.mark.parametrize(
    "between",
    [
        "std::vector<int> v = w; for (int i = 0; i < n; i++) if (i > c) v[i] = 0;",
        "std::vector<int> v = w, u(n); zero(u); if (c) v = u;",
        "std::vector<int> v = w, u(n); zero(u); for (int r = 0; r < c; r++) v = u;",
        "std::vector<int> v = w, u(n); zero(u); for (int r = 0; r < c; r++) v.swap(u);",
        "std::vector<int> v = w; for (int r = 0; r < c; r++) v[0] = v[1];",
        "std::vector<int> v = w; v.resize(2); v.resize(n);",
        "std::vector<int> v = std::move(w); v.clear(); v.resize(n);",
        "std::vector<int> v = std::move(w); v.insert(v.begin(), 0);",
        "std::vector<int> v = w; v.erase(v.begin()); v.push_back(0);",
        "std::vector<int> v(n); v.assign(w.begin(), w.begin() + 1); v.resize(n);",
        "std::vector<unsigned char> y(w.begin(), w.end()); std::vector<int> v(y.begin(), y.end());",
        "thrust::device_vector<int> v = w; std::vector<int> u(n); v = u;",
    ],
)
def test_a_copy_that_may_have_changed(between: str, tmp_path: Path) -> None:
    assert outcome(tmp_path, between) == (Outcome.UNKNOWN, (2, 0))


@pytest.mark.parametrize(
    "again", ["w = std::vector<int>(n);", "w.resize(n);", "outside(w);", "w.insert(w.begin(), n, 3);"]
)
def test_elements_that_were_given_away_are_not_those_of_the_next_ones(again: str, tmp_path: Path) -> None:
    moved = f"zero(w); std::vector<int> v = std::move(w); {again} for (int i = 0; i < n; i++) w[i] = i;"
    assert outcome(tmp_path, moved)[0] is not Outcome.SAFE


def test_casts_of_pointers_store_nothing(tmp_path: Path) -> None:
    made = "for (int i = 0, c = 1; i < n; i++) { w[i] = c; c = c * 7 % n; } thrust::device_vector<int> v = w;"
    assert outcome(tmp_path, made) == (Outcome.UNKNOWN, (2, 0))
