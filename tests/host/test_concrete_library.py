"""Concrete runs of host code with a device: containers of containers, functions in objects, long loops, fills."""

from math import inf
from pathlib import Path

import pytest

from hgrd.program.linked import link
from hgrd.simulate.program_run.concrete_run import run_beside_launches
from tests.checking import parse

PROGRAM = """
#include <cuda_runtime.h>
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>
__global__ void put(int *p, int at) { p[at + threadIdx.x] = at; }
struct Edge { int from, to; float weight; };
struct Operation { std::string name; std::function<int(int)> where; };
template <typename F> std::function<int(int)> shifted(F f) { return [f](int by) { return f(by) + 1; }; }
struct Sum { const int *values; double sum; float most; int *held; };
void add_up(Sum *s) {
  double sum = 0;
  float most = 0;
  for (int i = 0; i < 1 << 24; i++) {
    sum += s->values[i];
    most = std::max(most, std::fabs(float(s->values[i])));
  }
  s->sum = sum, s->most = most;
}
int main() {
  int *p;
  cudaMalloc(&p, 1 << 20);
  cudaStream_t s, t;
  cudaStreamCreate(&s), cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
  int at = 16;
  BODY
  put<<<1, 32, 0, s>>>(p, 0);
  put<<<1, 32, 0, t>>>(p, at);
}
"""


def _races(folder: Path, body: str) -> bool:
    tables = link((parse(folder, PROGRAM.replace("BODY", body)),))
    return bool(run_beside_launches(tables, tables.functions["main"], inf).races)


GROUPS = (
    "std::vector<std::vector<Edge>> groups;"
    "for (int i = 0; i < 7; i++) {"
    "  if (i % 3 >= int(groups.size())) groups.resize(i % 3 + 1);"
    "  groups[i % 3].push_back({i, i + 1, 1.0f});"
    "}"
    "std::vector<Edge> all; std::vector<int> ends;"
    "for (const auto &g : groups) { all.insert(all.end(), g.begin(), g.end()); ends.push_back(all.size()); }"
)
FILLED = "cudaMemset(p, 0xff, 1024); int h; cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost);"


@pytest.mark.parametrize(
    ("body", "racy"),
    [
        (GROUPS + "at = ends[0] == 3 && ends[2] == 7 && all[3].from == 1 ? 16 : 32;", True),
        (GROUPS + "at = ends[0] == 3 && ends[2] == 7 && all[3].from == 1 ? 32 : 16;", False),
        ("std::vector<std::string> names(3); int n = 0; for (auto &one : names) n++; at = n == 3 ? 32 : 16;", False),
        ("std::function<int(int)> f = [&](int n) { at++; return n ? f(n - 1) + 8 : 0; }; at = f(2) + at - 19;", True),
        ("std::function<int(int)> f = [&](int n) { at++; return n ? f(n - 1) + 8 : 0; }; at = f(4) + at - 21;", False),
        ("std::vector<Operation> o; o.push_back({\"a\", shifted([=](int n) { return n + at; })});"
         "for (const auto &one : o) at = one.where(14);", True),
        ("std::vector<Operation> o; o.push_back({\"a\", shifted([=](int n) { return n + at; })});"
         "for (const auto &one : o) at = one.where(15);", False),
        ("int calls = 0; std::function<int(int)> f = [calls](int n) mutable { return n + calls++; };"
         "at = f(16) + f(0);", False),  # a function that changes itself is not followed
        ("std::vector<int> v(1 << 23); int *held = &at; Sum sum = {v.data(), 0, 0, held}; add_up(&sum);"
         "at = *sum.held;", True),  # a loop that is too long has changed no pointer
        (FILLED + "at = h == -1 ? 16 : 32;", True),
        (FILLED + "at = h == -1 ? 32 : 16;", False),
        ("union { long l; int i[2]; } u; u.l = 0; u.i[1] = 5; u.l = 7; at = u.i[1] == 5 ? 16 : 32;", False),
    ],
)  # fmt: skip
def test_what_the_run_knows(tmp_path: Path, body: str, racy: bool) -> None:
    assert _races(tmp_path, body) is racy
