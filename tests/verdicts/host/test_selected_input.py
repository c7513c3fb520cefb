"""Input that the host selects, or refuses where elements repeat, is no free choice: a race that needs it is open."""

from math import inf
from pathlib import Path

import pytest

from hgrd.engine.analysis.program import analyze
from hgrd.engine.analysis.replay import LateReplayer
from hgrd.findings.model import Outcome
from hgrd.findings.options import AnalysisOptions
from tests.checking import parse

PROGRAM = """
#include <cuda_runtime.h>
#include <algorithm>
#include <iostream>
#include <iterator>
#include <list>
#include <map>
#include <queue>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <vector>
struct Pair { int key, count; };
__global__ void add(float *x, const int *at, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[at[i]] += 1.0f;
}
static std::vector<int> keys(const std::map<int, int> &m) {
  std::vector<int> found;
  for (const auto &[key, count] : m) found.push_back(key);
  return found;
}
int main() {
  std::vector<int> raw, at;
  int v;
  while (std::cin >> v) {
    if (v < 0 || v >= 4096) return 1;
    raw.push_back(v);
  }
  MAKE
  if (at.empty()) return 1;
  float *d;
  int *k;
  cudaMalloc(&d, 4096 * 4);
  cudaMalloc(&k, at.size() * 4);
  cudaMemset(d, 0, 4096 * 4);
  cudaMemcpy(k, at.data(), at.size() * 4, cudaMemcpyHostToDevice);
  add<<<(at.size() + 127) / 128, 128>>>(d, k, (int)at.size());
  cudaDeviceSynchronize();
  AFTER
}
"""
SELECTED = {
    "keys of a map": "std::map<int, int> m; for (int x : raw) m[x]++; for (auto &[k, c] : m) at.push_back(k);",
    "keys of a map by a function": "std::map<int, int> m; for (int x : raw) m[x]++; at = keys(m);",
    "iterators of a map":
        "std::map<int, int> m; for (int x : raw) m[x]++;"
        " for (auto p = m.begin(); p != m.end(); ++p) at.push_back(p->first);",
    "a set": "std::set<int> m; for (int x : raw) m.insert(x); for (int x : m) at.push_back(x);",
    "a range of a set": "std::set<int> m(raw.begin(), raw.end()); at.assign(m.begin(), m.end());",
    "a vector of a set": "std::set<int> m(raw.begin(), raw.end()); std::vector<int> u(m.begin(), m.end()); at = u;",
    "insertion of a set":
        "std::unordered_set<int> m(raw.begin(), raw.end()); std::copy(m.begin(), m.end(), std::back_inserter(at));",
    "a list": "std::list<int> l(raw.begin(), raw.end()); l.sort(); l.unique(); at.assign(l.begin(), l.end());",
    "whether it is new": "std::set<int> m; for (int x : raw) if (m.insert(x).second) at.push_back(x);",
    "what is not new goes on":
        "std::unordered_set<int> m; for (int x : raw) { if (!m.insert(x).second) continue; at.push_back(x); }",
    "by a variable":
        "std::map<int, int> m; for (int x : raw) { auto [it, fresh] = m.emplace(x, 1); if (fresh) at.push_back(x); }",
    "by a lambda":
        "std::set<int> m; auto fresh = [&](int x) { return m.insert(x).second; };"
        " for (int x : raw) if (fresh(x)) at.push_back(x);",
    "flags": "std::vector<char> m(4096); for (int x : raw) { if (m[x]) continue; m[x] = 1; at.push_back(x); }",
    "flags of bits": "std::vector<bool> m(4096); for (int x : raw) if (!m[x]) { m[x] = true; at.push_back(x); }",
    "the last one": "int last = -1; for (int x : raw) if (x > last) { at.push_back(x); last = x; }",
    "a search": "for (int x : raw) if (std::find(at.begin(), at.end(), x) == at.end()) at.push_back(x);",
    "a queue":
        "std::priority_queue<int> q; for (int x : raw) q.push(x); int last = -1;"
        " while (!q.empty()) { if (q.top() != last) at.push_back(q.top()); last = q.top(); q.pop(); }",
    "refused by a set": "std::set<int> m; for (int x : raw) if (!m.insert(x).second) return 1; at = raw;",
    "refused by flags": "std::vector<bool> m(4096); for (int x : raw) { if (m[x]) return 1; m[x] = true; } at = raw;",
    "refused by a number":
        "std::set<int> m(raw.begin(), raw.end()); if (m.size() != raw.size()) return 1; at = raw;",
    "refused by neighbours": "for (size_t i = 1; i < raw.size(); i++) if (raw[i] <= raw[i - 1]) return 1; at = raw;",
    "refused by an algorithm":
        "at = raw; auto s = raw; std::sort(s.begin(), s.end());"
        " if (std::adjacent_find(s.begin(), s.end()) != s.end()) return 1;",
    "refused by pairs":
        "for (size_t i = 0; i < raw.size(); i++) for (size_t j = 0; j < i; j++) if (raw[i] == raw[j]) return 1;"
        " at = raw;",
}  # fmt: skip
FREE = {
    "all": ("at = raw;", ""),
    "a copy": ("std::copy(raw.begin(), raw.end(), std::back_inserter(at));", ""),
    "a range": ("for (int x : raw) { if (x > 1000) continue; at.push_back(x); }", ""),
    "counted flags":
        ("std::vector<char> m(4096); for (size_t i = 0; i < 9; i++) m[i] = i & 1;"
         " for (size_t i = 0; i < raw.size(); i++) if (!m[i & 4095]) at.push_back(raw[i]);", ""),
    "a set that decides nothing": ("std::set<int> m; for (int x : raw) { m.insert(x); at.push_back(x); }", ""),
    "a test behind the launch":
        ("at = raw;", "for (size_t i = 1; i < raw.size(); i++) if (raw[i] <= raw[i - 1]) return 2;"),
}  # fmt: skip


@pytest.mark.parametrize("name", SELECTED)
def test_input_that_the_host_selects_is_not_free(tmp_path: Path, name: str) -> None:
    assert _outcome(tmp_path, SELECTED[name], "") is Outcome.UNKNOWN


@pytest.mark.parametrize("name", FREE)
def test_input_that_the_host_takes_as_it_is_is_free(tmp_path: Path, name: str) -> None:
    assert _outcome(tmp_path, *FREE[name]) is Outcome.RACE


HANDED = """
#include <cuda_runtime.h>
#include <iostream>
#include <map>
#include <vector>
__global__ void add(float *x, const int *at, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[at[i]] += 1.0f;
}
static std::vector<int> prepare(const std::vector<int> &raw) {
  std::map<int, int> m;
  for (int x : raw) m[x]++;
  std::vector<int> batch;
  for (FROM) batch.push_back(x);
  return batch;
}
static void post(float *d, const std::vector<int> &batch) {
  int *k;
  cudaMalloc(&k, batch.size() * 4);
  cudaMemcpy(k, batch.data(), batch.size() * 4, cudaMemcpyHostToDevice);
  add<<<(batch.size() + 127) / 128, 128>>>(d, k, (int)batch.size());
  cudaDeviceSynchronize();
}
int main() {
  std::vector<int> raw;
  int v;
  while (std::cin >> v) {
    if (v < 0 || v >= 4096) return 1;
    raw.push_back(v);
  }
  float *d;
  cudaMalloc(&d, 4096 * 4);
  cudaMemset(d, 0, 4096 * 4);
  post(d, prepare(raw));
}
"""


@pytest.mark.parametrize(
    ("loop", "outcome"), [("auto &[x, count] : m", Outcome.UNKNOWN), ("int x : raw", Outcome.RACE)]
)
def test_a_selection_that_a_function_returns(tmp_path: Path, loop: str, outcome: Outcome) -> None:
    (kernel,) = analyze((parse(tmp_path, HANDED.replace("FROM", loop)),), AnalysisOptions(), LateReplayer(inf)).kernels
    assert kernel.outcome is outcome


def _outcome(folder: Path, make: str, after: str) -> Outcome:
    text = PROGRAM.replace("MAKE", make).replace("AFTER", after)
    (kernel,) = analyze((parse(folder, text),), AnalysisOptions(), LateReplayer(inf)).kernels
    return kernel.outcome
