"""Pointers that objects of the library hide: each may be any of those that the program has put there."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check, outcomes_of_launches

PROGRAM = """
#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>
__global__ void put(float *x, int n) { int i = threadIdx.x; if (i < n) x[i] = i; }
int main(int argc, char **argv) {
  int n = 64, k[4] = {3, 2, 1, 0};
  float *x, *y, *p, *q; cudaMalloc(&x, 256), cudaMalloc(&y, 256), p = x, q = y;
  cudaStream_t s, t; cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
  BODY
  cudaDeviceSynchronize();
}
"""
WAIT = "cudaDeviceSynchronize();"
MAP = 'std::map<std::string, float *> m; m["a"] = x; m["b"] = y;'
LIST = 'std::vector<std::pair<std::string, float *>> v; v.push_back({"a", x}); v.push_back({"b", ONE});'
MADE = "for (int i = 0; i < 8; i++) { float *o; cudaMalloc(&o, 256); m[i] = o; }"


def on_two(one: str, other: str) -> str:
    return f"put<<<1, 64, 0, s>>>({one}, n); WAIT put<<<1, 64, 0, t>>>({other}, n);"


ONE_OBJECT = {  # two streams use one object
    "what a map finds": MAP + on_two('m.find("a")->second', 'm["a"]'),
    "what a map has at a key": MAP + on_two('m.at("a")', 'm["a"]'),
    "where an iterator stands": MAP + "auto i = m.begin();" + on_two("i->second", 'm["a"]'),
    "what a loop over a map meets": (
        MAP + 'for (auto &[k0, r] : m) put<<<1, 64, 0, s>>>(r, n); WAIT put<<<1, 64, 0, t>>>(m["b"], n);'
    ),
    "made in a loop": "std::map<int, float *> m;" + MADE + on_two("m.find(3)->second", "m[3]"),
    "twice in a list": LIST.replace("ONE", "x") + on_two("v[0].second", "v[1].second"),
    "listed twice": (
        'std::vector<std::pair<std::string, float *>> v{{"a", x}, {"b", x}};' + on_two("v[0].second", "v[1].second")
    ),
    "swapped in a list": (
        LIST.replace("ONE", "y")
        + "put<<<1, 64, 0, s>>>(v[0].second, n); WAIT std::swap(v[0], v[1]); put<<<1, 64, 0, t>>>(v[1].second, n);"
    ),
    "the greater one": "float *r = std::max(p, q);" + on_two("r", "p"),
    "the smaller one": "float *r = std::min(p, q);" + on_two("q", "r"),
    "parts of what a map has": (
        'std::map<std::string, std::pair<float *, float *>> m; m["a"] = {x, x};'
        + on_two('m["a"].first', 'm["a"].second')
    ),
    "the greatest of a list": "float *r = std::max({p, q});" + on_two("r", "q"),
    "a pair of a reference": "std::pair<float *&, int> u(p, 1); u.first = q;" + on_two("p", "q"),
    "got from a pair of a reference": "std::pair<float *&, int> u(p, 1); std::get<0>(u) = q;" + on_two("p", "q"),
    "chosen": "float *r = argc > 1 ? p : q;" + on_two("r", "p"),
    "exchanged": "float *r = std::exchange(p, q);" + on_two("r", "x"),
    "put by an exchange": "std::exchange(p, q);" + on_two("p", "q"),
    "assigned to a tuple of references": "std::tie(p, q) = std::make_tuple(q, p);" + on_two("q", "x"),
    "beside a sort": (
        "using namespace std; put<<<1, 64, 0, s>>>(p, n); WAIT sort(k, k + 4); put<<<1, 64, 0, t>>>(p, n);"
    ),
}
APART = {
    "other keys": MAP + on_two('m.at("a")', 'm.at("b")'),
    "exchanged": "float *r = std::exchange(p, q);" + on_two("r", "p"),
    "chosen otherwise": "float *r = argc > 1 ? p : q, *w = argc > 1 ? q : p;" + on_two("r", "w"),
    "chosen with its stream": ("for (int i = 0; i < 100; i++) put<<<1, 64, 0, i % 2 ? s : t>>>(i % 2 ? p : q, n);"),
}


def outcomes(folder: Path, body: str) -> set[Outcome]:
    return outcomes_of_launches(check(folder, PROGRAM.replace("BODY", body)))


@pytest.mark.parametrize("name", ONE_OBJECT)
def test_one_object_on_two_streams(tmp_path: Path, name: str) -> None:
    assert outcomes(tmp_path, ONE_OBJECT[name].replace("WAIT", "")) <= {Outcome.UNKNOWN, Outcome.RACE}
    assert outcomes(tmp_path, ONE_OBJECT[name].replace("WAIT", WAIT)) == {Outcome.SAFE}


@pytest.mark.parametrize("name", APART)
def test_two_objects_on_two_streams(tmp_path: Path, name: str) -> None:
    assert outcomes(tmp_path, APART[name].replace("WAIT", "")) == {Outcome.SAFE}
