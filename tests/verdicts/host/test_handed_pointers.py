"""Pointers that the program hands to containers: whether two elements may hold one pointer."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check, outcomes_of_launches

PROGRAM = """
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>
__global__ void put(float *x, int n) { int i = threadIdx.x; if (i < n) x[i] += i; }
struct Lane { float *a; cudaStream_t s; float *all; };
struct Owner {
  float *a; cudaStream_t s;
  explicit Owner(float *p) : a(p) { cudaStreamCreate(&s); }
};
CLASS
int main() {
  int n = 64, i = 0;
  float *x, *y, *z, *large; cudaMalloc(&x, 256); cudaMalloc(&y, 256); cudaMalloc(&z, 256); cudaMalloc(&large, 4096);
  std::vector<cudaStream_t> ss(8); for (auto &q : ss) cudaStreamCreate(&q);
  BODY
  cudaDeviceSynchronize();
}
"""
POOL = """
struct Pool {
  std::unordered_map<std::string, float *> m;
  void bind(const std::string &k, float *p) { m.emplace(k, p); }
  void go(int n) { for (auto &[k, p] : m) { cudaStream_t q; cudaStreamCreate(&q); put<<<1, 64, 0, q>>>(p, n); } }
};
"""
NAMED = "std::map<std::string, float *> m;"
WALK = "for (auto &[k, p] : m) put<<<1, 64, 0, ss[i++]>>>(p, n);"
LANES = "for (auto &l : v) put<<<1, 64, 0, l->s>>>(l->a, n);"
JOBS = "for (auto p : v) put<<<1, 64, 0, ss[i++]>>>(p, n);"

TWO_OR_ONE = {  # AGAIN: `x`, which another element has, too, or memory of its own
    "by keys": (NAMED + 'm["a"] = x; m["b"] = y; m["c"] = AGAIN;' + WALK, "x", "z"),
    "by keys, without another": (NAMED + 'm["a"] = x; m["b"] = AGAIN;' + WALK, "x", "y"),
    "emplaced": (NAMED + 'm.emplace("a", x); m.emplace("b", y); m.emplace("c", AGAIN);' + WALK, "x", "z"),
    "inserted": (NAMED + 'm.insert({"a", x}); m.insert({"b", y}); m.insert({"c", AGAIN});' + WALK, "x", "z"),
    "pairs": (
        NAMED + 'm.insert(std::make_pair("a", x)); m.insert(std::make_pair("b", y));'
        'm.insert(std::make_pair("c", AGAIN));' + WALK,
        "x",
        "z",
    ),
    "listed": (NAMED + 'm = {{"a", x}, {"b", y}, {"c", AGAIN}};' + WALK, "x", "z"),
    "made of a list": ('std::map<std::string, float *> m{{"a", x}, {"b", y}, {"c", AGAIN}};' + WALK, "x", "z"),
    "walked by copies": (
        NAMED + 'm["a"] = x; m["b"] = y; m["c"] = AGAIN; for (auto [k, p] : m) put<<<1, 64, 0, ss[i++]>>>(p, n);',
        "x",
        "z",
    ),
    "walked by an iterator": (
        NAMED + 'm["a"] = x; m["b"] = y; m["c"] = AGAIN;'
        "for (auto e = m.begin(); e != m.end(); ++e) put<<<1, 64, 0, ss[i++]>>>(e->second, n);",
        "x",
        "z",
    ),
    "in a loop": (
        "std::map<int, float *> m; for (int q = 0; q < 4; q++) { float *o; AGAIN m[q] = o; } m[9] = x;" + WALK,
        "o = y;",
        "cudaMalloc(&o, 256);",
    ),
    "in a class": ('Pool o; o.bind("a", x); o.bind("b", y); o.bind("c", AGAIN); o.go(n);', "x", "z"),
    "members": (
        'std::map<std::string, Lane> m; m["a"].a = x; m["b"].a = y; m["c"].a = AGAIN;'
        "for (auto &[k, l] : m) put<<<1, 64, 0, ss[i++]>>>(l.a, n);",
        "x",
        "z",
    ),
    "a list": ("std::list<float *> v; v.push_back(x); v.push_back(y); v.push_back(AGAIN);" + JOBS, "x", "z"),
    "a deque": ("std::deque<float *> v; v.push_back(x); v.push_back(y); v.push_front(AGAIN);" + JOBS, "x", "z"),
    "tuples": (
        "std::vector<std::tuple<float *, int>> v; v.emplace_back(x, 1); v.emplace_back(y, 1); v.emplace_back(AGAIN, 1);"
        "for (auto &[p, k] : v) put<<<1, 64, 0, ss[i++]>>>(p, n);",
        "x",
        "z",
    ),
    "records in a list": (
        "std::list<Lane> v; v.push_back(Lane{x, ss[0]}); v.push_back(Lane{y, ss[1]}); v.push_back(Lane{AGAIN, ss[2]});"
        "for (auto &l : v) put<<<1, 64, 0, l.s>>>(l.a, n);",
        "x",
        "z",
    ),
    "unique pointers": (
        "std::vector<std::unique_ptr<Lane>> v; for (int q = 0; q < 4; q++) { auto l = std::make_unique<Lane>();"
        "AGAIN cudaStreamCreate(&l->s); v.push_back(std::move(l)); }" + LANES,
        "l->a = x;",
        "cudaMalloc(&l->a, 256);",
    ),
    "unique pointers in a list": (
        "std::list<std::unique_ptr<Lane>> v; for (int q = 0; q < 4; q++) { auto l = std::make_unique<Lane>();"
        "AGAIN cudaStreamCreate(&l->s); v.push_back(std::move(l)); }" + LANES,
        "l->a = x;",
        "cudaMalloc(&l->a, 256);",
    ),
    "parts of one object": (
        "std::vector<std::unique_ptr<Lane>> v; for (int q = 0; q < 4; q++) { auto l = std::make_unique<Lane>();"
        "l->a = large + 64 * AGAIN; cudaStreamCreate(&l->s); v.push_back(std::move(l)); }" + LANES,
        "(q / 2)",
        "q",
    ),
    "shared pointers": (
        "std::vector<std::shared_ptr<Lane>> v;"
        "{ auto l = std::make_shared<Lane>(); l->a = x; l->s = ss[0]; v.push_back(std::move(l)); }"
        "{ auto l = std::make_shared<Lane>(); l->a = AGAIN; l->s = ss[1]; v.push_back(std::move(l)); }" + LANES,
        "x",
        "y",
    ),
    "what all lanes have, too": (
        "std::vector<std::unique_ptr<Lane>> v; for (int q = 0; q < 4; q++) { auto l = std::make_unique<Lane>();"
        "AGAIN l->all = y; cudaStreamCreate(&l->s); v.push_back(std::move(l)); }" + LANES,
        "l->a = y;",
        "cudaMalloc(&l->a, 256);",
    ),
    "made by a constructor": (
        "std::vector<std::unique_ptr<Owner>> v; for (int q = 0; q < 3; q++) { AGAIN"
        "v.push_back(std::make_unique<Owner>(x)); }" + LANES,
        "",
        "cudaMalloc(&x, 256);",
    ),
    "kept by keys": (
        "std::map<std::string, std::unique_ptr<Owner>> v;"
        'v["a"] = std::make_unique<Owner>(x); v["b"] = std::make_unique<Owner>(AGAIN);'
        "for (auto &[k, l] : v) put<<<1, 64, 0, l->s>>>(l->a, n);",
        "x",
        "y",
    ),
    "kept in a map of maps": (
        'std::map<std::string, std::map<int, float *>> v; v["a"][0] = x; v["b"][0] = AGAIN;'
        "for (auto &[k, l] : v) put<<<1, 64, 0, ss[i++]>>>(l[0], n);",
        "x",
        "y",
    ),
}


def program(body: str) -> str:
    return PROGRAM.replace("CLASS", POOL if "Pool" in body else "").replace("BODY", body)


def outcomes(folder: Path, text: str) -> set[Outcome]:
    return outcomes_of_launches(check(folder, text))


@pytest.mark.parametrize("name", TWO_OR_ONE)
def test_two_elements_may_hold_one_pointer(tmp_path: Path, name: str) -> None:
    body, again, _ = TWO_OR_ONE[name]
    assert outcomes(tmp_path, program(body.replace("AGAIN", again))) <= {Outcome.UNKNOWN, Outcome.RACE}


@pytest.mark.parametrize("name", TWO_OR_ONE)
def test_each_element_has_its_own(tmp_path: Path, name: str) -> None:
    body, _, own = TWO_OR_ONE[name]
    assert outcomes(tmp_path, program(body.replace("AGAIN", own))) == {Outcome.SAFE}


@pytest.mark.parametrize("name", TWO_OR_ONE)
def test_one_pointer_on_one_stream(tmp_path: Path, name: str) -> None:
    body, again, _ = TWO_OR_ONE[name]
    text = program(body.replace("AGAIN", again))
    for stream in ("ss[i++]", "l->s", "l.s", "q"):
        text = text.replace(f"64, 0, {stream}>>>", "64, 0, ss[0]>>>" if "Pool" not in body else "64>>>")
    assert outcomes(tmp_path, text) == {Outcome.SAFE}
