"""Pairs, tuples and maps of pointers: what the host does with memory that kernels may use by them."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check, outcomes_of_launches

PROGRAM = """
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>
__managed__ float table[64];
struct Wait { void operator()(int) const { cudaDeviceSynchronize(); } };
__global__ void put(float *x, int n) { int i = threadIdx.x; if (i < n) x[i] = i; }
int main() {
  int n = 64, k[4] = {3, 2, 1, 0};
  float *x, *y; cudaMallocManaged(&x, 256), cudaMallocManaged(&y, 256);
  cudaStream_t s, t; cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
  BODY
  cudaDeviceSynchronize();
}
"""
WAIT = "cudaDeviceSynchronize();"
TEXTS = 'std::vector<std::pair<std::string, float *>> v; v.push_back({"a", x}); v.push_back({"b", y});'
BESIDE = {  # what the host does while a kernel runs, or after WAIT
    "pairs with texts": TEXTS + " for (auto &e : v) put<<<1, 64>>>(e.second, n); WAIT v[1].second[0] = 1;",
    "by its name": TEXTS + " for (auto &e : v) put<<<1, 64>>>(e.second, n); WAIT x[0] = 1;",
    "a managed variable": (
        'std::vector<std::pair<std::string, float *>> v; v.push_back({"a", table}); v.push_back({"b", x});'
        " for (auto &e : v) put<<<1, 64>>>(e.second, n); WAIT table[1] = 3;"
    ),
    "a pair that is made of it": (
        'std::pair<std::string, float *> m("a", x); put<<<1, 64>>>(m.second, n); WAIT x[0] = 1;'
    ),
    "a name for a part of it": (
        'std::tuple<std::string, float *> u("a", x); auto [k0, p] = u; put<<<1, 64>>>(p, n); WAIT x[0] = 1;'
    ),
    "names for parts of what a map holds": (
        "std::map<int, float *> m; m[1] = x; m[2] = y; for (auto &[k0, p] : m) put<<<1, 64>>>(p, n); WAIT m[1][0] = 1;"
    ),
    "names for parts of a pair": ("auto [p, k0] = std::make_pair(x, 1); put<<<1, 64>>>(p, n); WAIT p[0] = 1;"),
    "a map by texts": (
        'std::map<std::string, float *> m; m["a"] = x; m["b"] = y; for (auto &e : m) put<<<1, 64>>>(e.second, n);'
        ' WAIT m["a"][0] = 1;'
    ),
    "a map by numbers": (
        "std::map<int, float *> m; m[1] = x; m[2] = y; for (auto &e : m) put<<<1, 64>>>(e.second, n); WAIT m[1][0] = 1;"
    ),
}
LOOKING = {  # functions that wait for nothing
    "get": "std::tuple<int, float *> u(1, y); put<<<1, 64>>>(x, n); int i = std::get<0>(u); x[i] = 1;",
    "get of another namespace": (
        'using namespace std; tuple<int, string> u(1, ""); put<<<1, 64>>>(x, n); int i = get<0>(u); x[1] = 1;'
    ),
    "make_pair": "put<<<1, 64>>>(x, n); auto u = std::make_pair(1, 2); x[1] = 1;",
    "sort": "put<<<1, 64>>>(x, n); std::sort(k, k + 4); x[1] = 1;",
    "accumulate": "put<<<1, 64>>>(x, n); int i = std::accumulate(k, k + 4, 0); x[1] = i;",
    "a clock": "put<<<1, 64>>>(x, n); auto b = std::chrono::steady_clock::now(); x[1] = 1;",
    "a clock by another name": (
        "using clock = std::chrono::steady_clock; put<<<1, 64>>>(x, n); auto b = clock::now(); x[1] = 1;"
    ),
}
CALLED = "put<<<1, 64>>>(x, n); std::for_each(k, k + 4, Wait()); x[1] = 1;"


def outcomes(folder: Path, body: str) -> set[Outcome]:
    return outcomes_of_launches(check(folder, PROGRAM.replace("BODY", body)))


@pytest.mark.parametrize("name", BESIDE)
def test_the_host_uses_memory_of_a_pair_beside_a_kernel(tmp_path: Path, name: str) -> None:
    assert outcomes(tmp_path, BESIDE[name].replace("WAIT", "")) <= {Outcome.UNKNOWN, Outcome.RACE}
    assert outcomes(tmp_path, BESIDE[name].replace("WAIT", WAIT)) == {Outcome.SAFE}


@pytest.mark.parametrize("name", LOOKING)
def test_functions_of_the_library_do_not_wait(tmp_path: Path, name: str) -> None:
    before, launch, after = LOOKING[name].partition("put<<<1, 64>>>(x, n);")
    assert outcomes(tmp_path, LOOKING[name]) <= {Outcome.UNKNOWN, Outcome.RACE}
    assert outcomes(tmp_path, f"{before}{launch} {WAIT} {after}") == {Outcome.SAFE}


def test_a_function_of_the_library_may_call_one_that_waits(tmp_path: Path) -> None:
    assert Outcome.RACE not in outcomes(tmp_path, CALLED)


ON_TWO = "put<<<1, 64, 0, s>>>(ONE, n); put<<<1, 64, 0, t>>>(OTHER, n);"
KEYED = {  # kernels on two streams get what a map holds by other keys: what it holds, and whether that is one object
    "one pointer by two texts": ('std::map<std::string, float *> m; m["a"] = x; m["b"] = x;', '"a"', '"b"', True),
    "one pointer by two numbers": ("std::map<int, float *> m; m[1] = x; m[2] = x;", "1", "2", True),
    "an element that is another": (
        'std::map<std::string, float *> m; m["a"] = x; m["b"] = m["a"];',
        '"a"',
        '"b"',
        True,
    ),
    "a number's that is another": ("std::map<int, float *> m; m[1] = x; m[2] = m[1];", "1", "2", True),
    "one by all keys of a loop": ("std::map<int, float *> m; for (int i = 0; i < 4; i++) m[i] = x;", "1", "2", True),
    "two pointers by two texts": ('std::map<std::string, float *> m; m["a"] = x; m["b"] = y;', '"a"', '"b"', False),
    "two pointers by two numbers": ("std::map<int, float *> m; m[1] = x; m[2] = y;", "1", "2", False),
}
SWAPPED = (
    'std::map<std::string, float *> m; m["a"] = x; m["b"] = y; put<<<1, 64, 0, s>>>(m["a"], n); SWAP'
    ' put<<<1, 64, 0, t>>>(m["b"], n);'
)


def assumed(folder: Path, body: str) -> list[str]:
    report = check(folder, PROGRAM.replace("BODY", body))
    return [f.text for k in report.kernels for n in k.launches for f in n.assumptions if "other elements" in f.text]


@pytest.mark.parametrize("name", KEYED)
def test_elements_of_a_map_by_other_keys_on_two_streams(tmp_path: Path, name: str) -> None:
    filled, one, other, same = KEYED[name]
    body = filled + ON_TWO.replace("ONE", f"m[{one}]").replace("OTHER", f"m[{other}]")
    assert outcomes(tmp_path, body) == {Outcome.UNKNOWN if same else Outcome.SAFE}
    assert assumed(tmp_path, body) == []


def test_swapped_elements_of_a_map_on_two_streams(tmp_path: Path) -> None:
    assert outcomes(tmp_path, SWAPPED.replace("SWAP", "")) == {Outcome.SAFE}
    assert outcomes(tmp_path, SWAPPED.replace("SWAP", 'std::swap(m["a"], m["b"]);')) == {Outcome.UNKNOWN}


@pytest.mark.parametrize("keys", [("std::string, float *", '"a"', '"b"'), ("int, float *", "1", "2")])
def test_elements_of_a_map_that_the_library_has_filled_are_apart_by_an_assumption(
    tmp_path: Path, keys: tuple[str, str, str]
) -> None:
    types, one, other = keys
    body = f"std::map<{types}> m; m.emplace({one}, x); m.emplace({other}, y);"
    body += ON_TWO.replace("ONE", f"m[{one}]").replace("OTHER", f"m[{other}]")
    assert outcomes(tmp_path, body) == {Outcome.SAFE}
    assert len(assumed(tmp_path, body)) == 2


ONE_OF_TWO = "put<<<1, 64, 0, s>>>(HELD, n); WAIT put<<<1, 64, 0, t>>>(x, n);"
HOLDERS = {  # a kernel gets what an object of the library holds, and one on another stream the same
    "a pair": ('std::pair<std::string, float *> m("a", x);', "m.second"),
    "a part of a pair": ("std::pair<float *, int> m(x, 1); auto [p, i] = m;", "p"),
    "a map": ('std::map<std::string, float *> m; m["a"] = x;', 'm["a"]'),
}


@pytest.mark.parametrize("name", HOLDERS)
def test_the_only_pointer_that_the_library_holds(tmp_path: Path, name: str) -> None:
    made, held = HOLDERS[name]
    body = made + ONE_OF_TWO.replace("HELD", held)
    assert outcomes(tmp_path, body.replace("WAIT", "")) == {Outcome.UNKNOWN}
    assert outcomes(tmp_path, body.replace("WAIT", WAIT)) == {Outcome.SAFE}


def test_a_pair_of_the_same_pointer(tmp_path: Path) -> None:
    kernels = "put<<<1, 64, 0, s>>>(m.first, n); put<<<1, 64, 0, t>>>(m.second, n);"
    assert outcomes(tmp_path, f"std::pair<float *, float *> m(x, x); {kernels}") == {Outcome.UNKNOWN}
    assert outcomes(tmp_path, f"std::pair<float *, float *> m(x, y); {kernels}") == {Outcome.SAFE}


def test_elements_of_unknown_size_are_not_apart_where_the_library_may_have_filled_them(tmp_path: Path) -> None:
    body = (
        "std::vector<std::pair<std::string, float *>> v; cudaStream_t r[4];"
        ' for (int i = 0; i < 4; i++) { float *p; cudaMalloc(&p, 256); v.push_back({"a", p});'
        " cudaStreamCreateWithFlags(&r[i], cudaStreamNonBlocking); }"
        " put<<<1, 64, 0, s>>>(v[0].second, n); WAIT put<<<1, 64, 0, t>>>(v[1].second, n);"
    )
    assert outcomes(tmp_path, body.replace("WAIT", "")) == {Outcome.UNKNOWN}
    assert outcomes(tmp_path, body.replace("WAIT", WAIT)) == {Outcome.SAFE}
