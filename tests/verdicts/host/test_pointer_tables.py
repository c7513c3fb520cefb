"""Tables of device pointers that the host fills and copies to the device: rows of one array, or arrays of their own."""

from __future__ import annotations

import pytest

from tests.checking import check, observed

PROGRAM = """
#include <cstdlib>
#include <utility>
#include <vector>
__global__ void rows(float *const *outs, int n) {
  float *y = outs[blockIdx.x];
  for (int r = threadIdx.x; r < n; r += blockDim.x) y[r] = blockIdx.x;  // put
}
__global__ void shift(float *const *outs, const float *const *ins, int n) {
  for (int r = threadIdx.x; r < n - 1; r += blockDim.x)
    outs[blockIdx.x][r] = ins[blockIdx.x][r + 1];  // put
}
__global__ void reverse(float **table, int m) {
  float *first = table[0];
  table[0] = table[m - 1];
  table[m - 1] = first;
}
void unseen(float **table);
int main(int argc, char **argv) {
  int n = argc * 7, m = COUNT;
  float *all, *one, **d, **other;
  cudaMalloc(&all, m * n * sizeof(float));
  cudaMalloc(&one, n * sizeof(float));
  cudaMalloc(&d, m * sizeof(float *));
  cudaMalloc(&other, m * sizeof(float *));
  DECLARED
  for (int i = 0; i < m; i++) { FILLED }
  AFTER
  cudaMemcpy(d, HOST, m * sizeof(float *), cudaMemcpyHostToDevice);
  BEFORE
  LAUNCH
}
"""
ARRAY, HEAP = "float *h[40];", "float **h = (float **)malloc(m * sizeof(float *));"
VECTOR = "std::vector<float *> h;"
PART, OWN = "h[i] = all + i * n;", "cudaMalloc(&h[i], n * sizeof(float));"
OWN_OF_VECTOR = "float *p; cudaMalloc(&p, n * sizeof(float)); h.push_back(p);"
SAFE = ["safe: 1 of 1 pairs"]
MAY_MEET = ("race: write put, write put; global", "open: write put, write put; global")
KINDS = {
    "array": (ARRAY, "40"),
    "small": ("float *h[4];", "4"),
    "heap": (HEAP, "argc + 2"),
    "vector": (VECTOR, "argc + 2"),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("own", [False, True])
def test_each_block_has_its_own_part(tmp_path_factory: pytest.TempPathFactory, kind: str, own: bool):
    filled = (OWN_OF_VECTOR if own else "h.push_back(all + i * n);") if kind == "vector" else OWN if own else PART
    assert _found(tmp_path_factory, kind, filled) == SAFE


@pytest.mark.parametrize("kind", ["array", "small", "heap"])
@pytest.mark.parametrize(
    "filled",
    [
        "h[i] = all + i * (n - 1);",
        "h[i] = all;",
        "h[i] = one;",
        "h[i] = all + i % 2 * n;",
        "h[i] = i == 2 ? all : all + i * n;",
        "if (i != 1) h[i] = all + i * n;",
        "cudaMalloc(&h[i], n * sizeof(float)); if (i > 0) h[i] = h[i - 1];",
        "cudaMalloc(&h[i], n);",
        "h[i] = (float *)((char *)all + i * n);",
    ],
)
def test_parts_that_may_overlap(tmp_path_factory: pytest.TempPathFactory, kind: str, filled: str):
    (found,) = _found(tmp_path_factory, kind, filled)
    assert found.startswith(MAY_MEET)


@pytest.mark.parametrize("filled", [PART, OWN])
@pytest.mark.parametrize(
    ("after", "before", "safe"),
    [
        ("h[2] = h[1];", "", False),
        ("unseen(h);", "", False),
        ("", "unseen(d);", False),
        ("", "cudaMemcpy(d + 1, h, sizeof(float *), cudaMemcpyHostToDevice);", False),
        ("", "cudaMemset(all, 0, 4);", True),
    ],
)
def test_tables_that_are_changed(
    tmp_path_factory: pytest.TempPathFactory, filled: str, after: str, before: str, safe: bool
):
    found = _found(tmp_path_factory, "heap", filled, after=after, before=before)
    assert found == SAFE if safe else found[0].startswith(MAY_MEET)


def test_a_table_that_a_kernel_changes(tmp_path_factory: pytest.TempPathFactory):
    (found,) = _found(tmp_path_factory, "heap", PART, before="reverse<<<1, 1>>>(d, m);")
    assert found.startswith("open: write put, write put; global")


SAME = "race: read put, write put; global; warp (data-dependent)"


@pytest.mark.parametrize(
    ("filled", "source", "verdict"),
    [(PART, "d", SAME), (OWN, "d", SAME), (PART, "other", "open: *other and *d: they may be the same memory")],
)
def test_two_tables(tmp_path_factory: pytest.TempPathFactory, filled: str, source: str, verdict: str):
    before = "cudaMemcpy(other, h, m * sizeof(float *), cudaMemcpyHostToDevice);"
    launch = f"shift<<<m, 32>>>(d, {source}, n);"
    assert _found(tmp_path_factory, "heap", filled, before=before, launch=launch, kernel="shift") == [verdict]


def _found(
    tmp_path_factory: pytest.TempPathFactory,
    kind: str,
    filled: str,
    *,
    after: str = "",
    before: str = "",
    launch: str = "rows<<<m, 32>>>(d, n);",
    kernel: str = "rows",
) -> list[str]:
    declared, count = KINDS[kind]
    host = "h.data()" if kind == "vector" else "h"
    words = {"COUNT": count, "DECLARED": declared, "FILLED": filled, "AFTER": after, "BEFORE": before, "HOST": host}
    text = PROGRAM.replace("LAUNCH", launch)
    for word, by in words.items():
        text = text.replace(word, by)
    return observed(check(tmp_path_factory.mktemp("tables"), text, kernels=(kernel,)), text)[kernel]
