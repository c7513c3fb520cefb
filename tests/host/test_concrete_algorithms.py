"""Concrete runs of host code: algorithms of the library that call functions of the program."""

from math import inf
from pathlib import Path

import pytest

from hgrd.program.linked import link
from hgrd.simulate.program_run.concrete_run import run_beside_launches
from tests.checking import parse

PROGRAM = """
#include <cuda_runtime.h>
#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>
__global__ void put(int *p, int at, int v) { p[at + threadIdx.x] = v; }
struct Item { int key, at; };
bool downwards(const Item &a, const Item &b) { return a.key > b.key; }
int main() {
  int *p;
  cudaMalloc(&p, 1 << 20);
  cudaStream_t s, t;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking), cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
  std::vector<int> v{5, 3, 8, 1};
  std::vector<Item> w{{1, 0}, {3, 64}, {2, 128}};
  int a = 0, b = 0;
  BODY
  put<<<1, 32, 0, s>>>(p, a, 1);
  put<<<1, 32, 0, t>>>(p, b, 2);
  cudaDeviceSynchronize();
}
"""


@pytest.mark.parametrize(
    ("body", "same"),
    [
        ("std::sort(v.begin(), v.end(), [](int x, int y) { return x > y; }); b = 32 * (v[0] == 8);", False),
        ("std::sort(v.begin(), v.end(), [](int x, int y) { return x > y; }); b = 32 * (v[0] != 8);", True),
        ("std::sort(w.begin(), w.end(), downwards); a = w[0].at; b = w[1].at;", False),
        ("std::sort(w.begin(), w.end(), downwards); a = w[0].at; b = 64;", True),
        ("std::for_each(v.begin(), v.end(), [&](int x) { b += 32 * x; });", False),
        ("std::for_each(v.begin(), v.end(), [&](int &x) { x = 0; }); b = 32 * v[2];", True),
        ("std::generate(v.begin(), v.end(), [&] { return b++; }); b = 32 * v[3];", False),
        ("std::generate_n(v.begin(), 2, [] { return 0; }); b = 32 * v[1];", True),
        ("std::transform(v.begin(), v.end(), v.begin(), [](int x) { return x * 32; }); b = v[1];", False),
        ("std::transform(v.begin(), v.end(), v.begin(), v.begin(), [](int x, int y) { return x - y; });"
         " b = v[1];", True),
        ("b = 32 * std::all_of(v.begin(), v.end(), [](int x) { return x > 0; });", False),
        ("b = 32 * std::any_of(v.begin(), v.end(), [](int x) { return x > 8; });", True),
        ("b = 32 * std::none_of(v.begin(), v.end(), [](int x) { return x > 8; });", False),
        ("b = 32 * std::count_if(v.begin(), v.end(), [](int x) { return x > 4; });", False),
        ("b = std::find_if(w.begin(), w.end(), [](const Item &x) { return x.key == 3; })->at;", False),
        ("b = 64 * (std::find_if(v.begin(), v.end(), [](int x) { return x == 9; }) != v.end());", True),
        ("b = std::accumulate(w.begin(), w.end(), 0, [](int s, const Item &x) { return s + x.at; });", False),
        ("std::function<int(int)> f = [](int x) { return 32 * x; };"
         " std::transform(v.begin(), v.end(), v.begin(), f); b = v[0];", False),
        ("v.erase(std::remove_if(v.begin(), v.end(), [](int x) { return x < 4; }), v.end()); b = 32 * (v.size() == 2);",
         False),
    ],
)  # fmt: skip
def test_algorithms_that_call_functions(tmp_path: Path, body: str, same: bool) -> None:
    tables = link((parse(tmp_path, PROGRAM.replace("BODY", body)),))
    found = run_beside_launches(tables, tables.functions["main"], inf)
    assert (len(found.races), bool(found.apart)) == ((1, False) if same else (0, True))


def test_elements_that_an_order_leaves_open(tmp_path: Path) -> None:
    body = "std::sort(v.begin(), v.end(), [](int x, int y) { return false; }); b = 32 * v[0];"
    tables = link((parse(tmp_path, PROGRAM.replace("BODY", body)),))
    found = run_beside_launches(tables, tables.functions["main"], inf)
    assert (len(found.races), bool(found.apart)) == (0, False)
    body = body.replace("std::sort", "std::stable_sort")
    tables = link((parse(tmp_path, PROGRAM.replace("BODY", body)),))
    assert run_beside_launches(tables, tables.functions["main"], inf).apart
