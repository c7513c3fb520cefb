"""Concrete runs of host code: maps, what constructors make of the elements of containers, and deleters."""

from math import inf
from pathlib import Path

import pytest

from hgrd.program.linked import link
from hgrd.simulate.program_run.concrete_run import run_beside_launches
from tests.checking import parse

PROGRAM = """
#include <cuda_runtime.h>
#include <array>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>
__global__ void put(int *p, int at) { p[at + threadIdx.x] = at; }
struct Event {
  cudaEvent_t e;
  Event() { cudaEventCreate(&e); }
};
struct Free {
  void operator()(int *p) const { cudaFree(p); }
};
struct Stage {
  void (*run)(cudaStream_t, int *, int);
};
void start(cudaStream_t s, int *p, int at) { put<<<1, 32, 0, s>>>(p, at); }
using Owner = std::unique_ptr<int, Free>;
int *made() {
  int *p;
  cudaMalloc(&p, 4096);
  return p;
}
int main() {
  int *p = made(), *q = made();
  cudaStream_t s, t;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking), cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
  BODY
  cudaDeviceSynchronize();
}
"""


def _run(folder: Path, body: str) -> tuple[int, bool]:
    """How many races a run shows, and whether it shows that there are none."""
    tables = link((parse(folder, PROGRAM.replace("BODY", body)),))
    found = run_beside_launches(tables, tables.functions["main"], inf)
    return len(found.races), bool(found.apart)


def _both(first: str, second: str) -> str:
    return f"put<<<1, 32, 0, s>>>({first}, 0); put<<<1, 32, 0, t>>>({second}, 16);"


MAPS = ["std::map<int, int *> m;", "std::unordered_map<int, int *> m;"]


@pytest.mark.parametrize("map_", MAPS)
@pytest.mark.parametrize(
    ("body", "same"),
    [
        ("m[3] = p; m[4] = q;" + _both("m[3]", "m[4]"), False),
        ("m[3] = p; m[4] = q;" + _both("m[3]", "m.at(3)"), True),
        ("m[3] = q; m[3] = p; m[4] = q;" + _both("m[3]", "m[4]"), False),
        ("m.emplace(1, p); m.emplace(1, q);" + _both("m[1]", "q"), False),
        ("m.insert_or_assign(1, p); m.insert_or_assign(1, q);" + _both("m[1]", "q"), True),
        ("m.try_emplace(1, p);" + _both("m.count(1) ? p : q", "m.count(2) ? p : q"), False),
        ("m[1] = p; auto i = m.find(1), j = m.find(2);" + _both("i->second", "j == m.end() ? q : p"), False),
        ("m[1] = p; auto i = m.find(1), j = m.find(2);" + _both("i->second", "j != m.end() ? q : p"), True),
        ("m[1] = p; m.clear(); m[1] = q;" + _both("m[1]", "m.size() == 1 ? p : q"), False),
        ("m[1] = p; auto n = m; n[1] = q;" + _both("m[1]", "n[1]"), False),
        ("if (!m.empty()) q = p; if (!m[7]) m[7] = p;" + _both("m[7]", "q"), False),
    ],
)
def test_maps(tmp_path: Path, map_: str, body: str, same: bool) -> None:
    assert _run(tmp_path, map_ + body) == (int(same), not same)


@pytest.mark.parametrize(
    ("body", "same"),
    [
        ("std::map<cudaStream_t, std::vector<int *>> m; m[s].push_back(p); m[t].push_back(q);"
         + _both("m[s].back()", "m[t].back()"), False),
        ("std::map<cudaStream_t, std::vector<int *>> m; m[s].push_back(p); m[s].push_back(q);"
         + _both("m[s].back()", "m[s].empty() ? p : q"), True),
        ("std::map<const void *, Owner> m; m[p] = Owner(q);" + _both("m[p].get()", "p"), False),
        ("std::array<Owner, 2> a; for (auto &x : a) x = Owner(made());" + _both("a[0].get()", "a[1].get()"), False),
        ("std::array<Owner, 2> a; for (auto &x : a) x = Owner(made());" + _both("a[1].get()", "a[1].get()"), True),
        ("std::shared_ptr<int> a(p, [](int *x) { cudaFree(x); });" + _both("a.get()", "q"), False),
        ("std::shared_ptr<int> a(p, [](int *x) { cudaFree(x); });" + _both("a.get()", "p"), True),
        ("std::vector<Stage> v; v.push_back({start}); v[0].run(s, p, 0); v[0].run(t, q, 16);", False),
        ("std::vector<Stage> v; v.push_back({start}); v[0].run(s, p, 0); v[0].run(t, p, 16);", True),
        ("std::vector<Event> v(2); put<<<1, 32, 0, s>>>(p, 0); cudaEventRecord(v[1].e, s);"
         "cudaStreamWaitEvent(t, v[1].e, 0); put<<<1, 32, 0, t>>>(p, 16);", False),
        ("std::vector<Event> v(2); put<<<1, 32, 0, s>>>(p, 0); cudaEventRecord(v[1].e, s);"
         "cudaStreamWaitEvent(t, v[0].e, 0); put<<<1, 32, 0, t>>>(p, 16);", True),
    ],
)  # fmt: skip
def test_what_containers_hold(tmp_path: Path, body: str, same: bool) -> None:
    assert _run(tmp_path, body) == (int(same), not same)


@pytest.mark.parametrize(
    "body",
    [
        "std::map<int, int *> m; m[1] = p; for (auto &x : m) put<<<1, 32, 0, s>>>(x.second, 0);",
        "std::map<int, int *> m; m.at(5);",
        "std::map<int, int *> m; m[1] = p; m.erase(1);",
        "std::unique_ptr<int, void (*)(int *)> a(p, [](int *x) { cudaMemset(x, 0, 4); });",
    ],
)
def test_what_is_not_followed_shows_nothing(tmp_path: Path, body: str) -> None:
    assert _run(tmp_path, body + _both("p", "q")) == (0, False)


@pytest.mark.parametrize(
    ("body", "same"),
    [
        ('m["a"] = p; m["b"] = q;' + _both('m["a"]', 'm["b"]'), False),
        ('m["a"] = p; m["b"] = q;' + _both('m["a"]', 'm.at("a")'), True),
        ('std::string n = "a", o(n); m[n] = p; m[o + "b"] = q;' + _both("m[o]", 'm["ab"]'), False),
        ('std::string n = "a"; m[n] = p; n = "b"; m[n] = q;' + _both('m["a"]', "m[n]"), False),
        ('m["a1"] = p; m["a" + std::to_string(2)] = q;' + _both('m["a1"]', 'm["a2"]'), False),
        ('std::vector<std::string> v{"a", "b"}; for (const auto &n : v) m.emplace(n, n == "a" ? p : q);'
         + _both('m["a"]', 'm["b"]'), False),
        ('std::vector<std::string> v{"a", "b"}; for (const auto &n : v) m.emplace(n, n.size() == 1 ? p : q);'
         + _both('m["a"]', 'm["b"]'), True),
        ('std::string n; m[n.empty() ? "x" : "y"] = p; m["y"] = q;' + _both('m["x"]', 'm["y"]'), False),
    ],
)  # fmt: skip
def test_maps_of_texts(tmp_path: Path, body: str, same: bool) -> None:
    assert _run(tmp_path, "std::map<std::string, int *> m;" + body) == (int(same), not same)


@pytest.mark.parametrize("change", ['n += "b";', 'n.append("b");', "n[0] = 'c';"])
def test_a_text_that_may_have_changed_is_no_key(tmp_path: Path, change: str) -> None:
    body = f'std::map<std::string, int *> m; std::string n = "a", o = "x"; {change} m[n] = p;'
    assert _run(tmp_path, body + _both("p", "q")) == (0, False)
