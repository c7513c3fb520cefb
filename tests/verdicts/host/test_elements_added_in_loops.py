"""Elements that loops add to containers: each has memory of its own if each iteration makes some and adds it once."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check, decided, outcomes_of_launches

PROGRAM = """
#include <memory>
#include <vector>
__global__ void step(const float *from, float *to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[max(i - 1, 0)];
}
const int N = 4096;
float *make() { float *p; cudaMalloc(&p, N * sizeof(float)); return p; }
struct Buffer { float *p; Buffer() : p(make()) {} explicit Buffer(float *q) : p(q) {} };
struct Matrix {
  float *p;
  explicit Matrix(int n) { cudaMalloc(&p, n * sizeof(float)); }
  Matrix(Matrix &&o) noexcept : p(o.p) { o.p = nullptr; }
};
struct Pair { float *a, *b; };
int main(int argc, char **argv) {
  std::vector<TYPE> v;
  for (int i = 0; i < argc; i++) { ADD }
  for (int l = 0; l + 1 < argc; l++) step<<<N / 256, 256>>>(FROM, TO, N);
  cudaDeviceSynchronize();
}
"""
OWN = {
    "v.push_back(make());": ("float *", "v[l]", "v[l + 1]"),
    "float *p; cudaMalloc(&p, N * sizeof(float)); v.push_back(p);": ("float *", "v[l]", "v[l + 1]"),
    "v.push_back(Buffer());": ("Buffer", "v[l].p", "v[l + 1].p"),
    "v.emplace_back();": ("Buffer", "v[l].p", "v[l + 1].p"),
    "v.emplace_back(N);": ("Matrix", "v[l].p", "v[l + 1].p"),
    "v.push_back(Matrix(N));": ("Matrix", "v[l].p", "v[l + 1].p"),
    "v.push_back({make(), make()});": ("Pair", "v[l].a", "v[l].b"),
}
SHARED = {
    "v.push_back(i % 2 ? v.back() : make());": ("float *", "v[l]", "v[l + 1]"),
    "v.push_back(make()); v.push_back(v.back());": ("float *", "v[2 * l]", "v[2 * l + 1]"),
    "float *p = make(); v.push_back(p); v.push_back(p);": ("float *", "v[2 * l]", "v[2 * l + 1]"),
    "float *p = make(); for (int j = 0; j < 2; j++) v.push_back(p);": ("float *", "v[2 * l]", "v[2 * l + 1]"),
    "static float *p = make(); v.push_back(p);": ("float *", "v[l]", "v[l + 1]"),
    "static float *p; if (i % 2 == 0) p = make(); v.push_back(p);": ("float *", "v[l]", "v[l + 1]"),
    "v.push_back(make()); v[i] = v[0];": ("float *", "v[l]", "v[l + 1]"),
    "Buffer b; v.push_back(b); v.push_back(Buffer(b.p));": ("Buffer", "v[2 * l].p", "v[2 * l + 1].p"),
    "Buffer b; v.emplace_back(b.p); v.emplace_back(b.p);": ("Buffer", "v[2 * l].p", "v[2 * l + 1].p"),
    "float *p = make(); v.push_back({p, p});": ("Pair", "v[l].a", "v[l].b"),
}


def program(add: str, type_: str, from_: str, to: str) -> str:
    text = PROGRAM.replace("ADD", add).replace("TYPE", type_)
    return text.replace("FROM", from_).replace("TO", to)


@pytest.mark.parametrize("add", OWN)
def test_own(tmp_path: Path, add: str) -> None:
    report = check(tmp_path, program(add, *OWN[add]))
    assert outcomes_of_launches(report) == {Outcome.SAFE}
    assert decided(report) == (1, 1)


@pytest.mark.parametrize("add", SHARED)
def test_shared(tmp_path: Path, add: str) -> None:
    assert outcomes_of_launches(check(tmp_path, program(add, *SHARED[add]))) == {Outcome.UNKNOWN}
