"""Memory whose pointers the library holds (maps, lists, pairs): used by the host while a kernel may use it."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check, outcomes_of_launches

PROGRAM = """
#include <cstdio>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>
struct Buffer { float *p; int n; };
struct Two { float *d, *h; };
struct Named { std::map<std::string, float *> m; };
__global__ void put(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = i; }
int main() {
  int n = 1024;
  float *x; cudaMallocManaged(&x, 4096);
  BODY
  cudaDeviceSynchronize();
}
"""
PUT = "put<<<4, 256>>>"
HELD = {  # what the host does while the kernel runs, or after WAIT
    "a map": (f'std::map<int, float *> m; m[1] = x; {PUT}(m[1], n); WAIT printf("%f", m[1][3]);'),
    "by texts": (f'std::map<std::string, float *> m; m["a"] = x; {PUT}(m["a"], n); WAIT m["a"][3] = 2;'),
    "allocated there": (f"std::map<int, float *> m; cudaMallocManaged(&m[1], 4096); {PUT}(m[1], n); WAIT m[1][3] = 2;"),
    "an unordered map": (f"std::unordered_map<int, float *> m; m[2] = x; {PUT}(m.at(2), n); WAIT m.at(2)[5] = 1;"),
    "a record in a map": (
        f"std::map<int, Buffer> m; m[1] = Buffer{{x, n}}; {PUT}(m[1].p, m[1].n); WAIT m[1].p[3] = 1;"
    ),
    "a map in a record": (f'Named t; t.m["q"] = x; {PUT}(t.m["q"], n); WAIT t.m["q"][3] = 1;'),
    "by its own name": (f"std::map<int, float *> m; m[1] = x; {PUT}(m[1], n); WAIT x[3] = 1;"),
    "found": (
        f"std::unordered_map<int, float *> m; m.emplace(2, x); {PUT}(m.find(2)->second, n); WAIT"
        " m.find(2)->second[5] = 1;"
    ),
    "one after the other": (
        f"std::map<int, float *> m; m[1] = x; for (auto &e : m) {PUT}(e.second, n); WAIT"
        " for (auto &e : m) e.second[0] = 1;"
    ),
    "an emplaced pair": (
        f"std::vector<std::pair<int, float *>> v; v.emplace_back(1, x); {PUT}(v.back().second, n); WAIT"
        " v.back().second[0] = 1;"
    ),
    "an optional": (f"std::optional<float *> o(x); {PUT}(*o, n); WAIT (*o)[2] = 1;"),
    "a list": (f"std::list<float *> t; t.push_back(x); {PUT}(t.front(), n); WAIT t.front()[1] = 2;"),
    "a deque": (f"std::deque<float *> t; t.push_back(x); {PUT}(t.front(), n); WAIT t.back()[0] = 1;"),
    "a set": (f"std::set<float *> t; t.insert(x); for (float *p : t) {PUT}(p, n); WAIT x[1] = 2;"),
}
KNOWN = ("a map", "by texts", "allocated there", "an unordered map", "a map in a record", "an optional")
"""Where both lookups surely get one pointer."""
APART = {  # the host uses something else
    "before": f"std::map<int, float *> m; m[1] = x; m[1][0] = 2; {PUT}(m[1], n);",
    "the pointers alone": f"std::map<int, float *> m; cudaMallocManaged(&m[1], 4096); {PUT}(m[1], n); {PUT}(m[1], n);",
    "a member beside, in a list": (
        f"std::list<Two> v; v.push_back(Two{{x, new float[4]}}); for (auto &b : v) {PUT}(b.d, n);"
        " for (auto &b : v) b.h[0] = 1;"
    ),
    "another list": (
        f"std::list<float *> d, h; d.push_back(x); h.push_back(new float[4]); {PUT}(d.front(), n); h.front()[0] = 1;"
    ),
    "numbers in a list": f"std::list<float> h; h.push_back(1); {PUT}(x, n); for (auto &v : h) v = 2;",
}


def outcomes(folder: Path, body: str) -> set[Outcome]:
    report = check(folder, PROGRAM.replace("BODY", body))
    return outcomes_of_launches(report)


@pytest.mark.parametrize("name", HELD)
def test_the_host_uses_held_memory_beside_a_kernel(tmp_path: Path, name: str) -> None:
    body = HELD[name]
    assert outcomes(tmp_path, body.replace("WAIT", "")) == {Outcome.RACE if name in KNOWN else Outcome.UNKNOWN}
    assert outcomes(tmp_path, body.replace("WAIT", "cudaDeviceSynchronize();")) == {Outcome.SAFE}


@pytest.mark.parametrize("name", APART)
def test_the_host_uses_what_no_kernel_does(tmp_path: Path, name: str) -> None:
    assert outcomes(tmp_path, APART[name]) == {Outcome.SAFE}
