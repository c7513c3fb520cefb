"""Containers that are members of objects: how many elements each has, what is in them, and when that is forgotten."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.host.programs import host

PROGRAM = """
#include <utility>
#include <vector>
__global__ void k(int first, int second) {}
struct Lists {
  int n;
  std::vector<int> a;
  std::vector<float> b;
  int m;
  std::vector<int> c;
  Lists(int n, int m) : n(n), a(m), b(7), m(m), c(n) {}
  void grow(int to) { b.resize(to); }
};
CLASS
void anything(void *);
void changes(std::vector<int> &);
void looks(const std::vector<int> &);
struct Holder { std::vector<int> *held; };
void follows(Holder &);
int main(int argc, char **argv) {
  Lists o(argc, 3);
  std::vector<int> v(argc);
  BODY
}
"""


BUFFERS = """
struct Buffers {
  std::vector<int> counts;
  std::vector<float *> of;
  int n;
  Buffers(const std::vector<int> &c, int n) : counts(c), of(c.size() + 1), n(n) {
    for (auto &x : of) cudaMalloc(&x, n);
  }
  void all() {
    for (size_t i = 0; i + 1 < of.size(); i++) cudaMemset(of[i], 0, n), k<<<1, 1>>>(i, n);
  }
};
"""


def _arguments(folder: Path, body: str, class_: str = "") -> list[tuple[str, ...]]:
    run = host(folder, PROGRAM.replace("BODY", body).replace("CLASS", class_))
    return [tuple(map(str, site.arguments)) for site in run.launches]


@pytest.mark.parametrize(
    ("body", "sizes"),
    [
        ("", ("3", "7")),
        ("o.grow(20);", ("3", "20")),
        ("o.a.push_back(1);", ("4", "7")),
        ("o.b.clear();", ("3", "0")),
        ("o.a.resize(5); o.b.resize(6);", ("5", "6")),
        ("o.n = 9; o.m = 8;", ("3", "7")),
        ("looks(o.a);", ("3", "7")),
    ],
)
def test_each_member_has_its_own_size(tmp_path: Path, body: str, sizes: tuple[str, str]) -> None:
    assert _arguments(tmp_path, f"{body} k<<<1, 1>>>(o.a.size(), o.b.size());") == [sizes]


def test_each_member_has_its_own_elements(tmp_path: Path) -> None:
    assert _arguments(tmp_path, "o.a[1] = 5; o.c[1] = 6; k<<<1, 1>>>(o.a[1], o.c[1]);") == [("5", "6")]
    ((first, second),) = _arguments(tmp_path, "k<<<1, 1>>>(o.a[1], o.c[1]);")
    assert first != second


def test_members_of_unknown_size_differ(tmp_path: Path) -> None:
    ((first, second),) = _arguments(tmp_path, "anything(&o); k<<<1, 1>>>(o.a.size(), o.b.size());")
    assert first != second


@pytest.mark.parametrize("body", ["o.grow(20);", "o.a.resize(9);", "o.b.clear();"])
def test_what_is_beside_a_container_stays(tmp_path: Path, body: str) -> None:
    assert _arguments(tmp_path, f"o.n = 11; {body} k<<<1, 1>>>(o.n, o.m);") == [("11", "3")]


@pytest.mark.parametrize(
    ("between", "stays"),
    [
        ("", True),
        ("looks(v); looks(o.a);", True),
        ("anything(&v); anything(&o);", False),
        ("changes(v); changes(o.a);", False),
        ("Holder h{&v}; follows(h); Holder g{&o.a}; follows(g);", False),
    ],
)
@pytest.mark.parametrize("element", ["v[1]", "o.a[1]"])
def test_elements_are_forgotten_with_their_container(tmp_path: Path, element: str, between: str, stays: bool) -> None:
    known = f"{element} = 5; int before = {element}; {between} k<<<1, 1>>>(before, {element});"
    unknown = f"int before = {element}; {between} k<<<1, 1>>>(before, {element});"
    for body in (known, unknown):
        ((before, after),) = _arguments(tmp_path, body)
        assert (before == after) is stays


def test_rows_have_sizes_of_their_own(tmp_path: Path) -> None:
    rows = "std::vector<std::vector<int>> r(4); for (int i = 0; i < 4; i++) r[i].resize(i + 3);"
    found = _arguments(tmp_path, f"{rows} k<<<1, 1>>>(r[0].size(), r[1].size());")
    assert len(found) == 1
    assert found[0][0] != found[0][1]


def test_loops_over_members_are_followed(tmp_path: Path) -> None:
    found = _arguments(tmp_path, "Buffers b({4, 5, 6}, 64); b.all();", BUFFERS)
    assert found == [("0", "64"), ("1", "64"), ("2", "64")]
