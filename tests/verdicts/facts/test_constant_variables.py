"""Variables on the device that nothing changes: what they are declared with is what kernels find."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check, decided

PROGRAM = """
#include <cuda_runtime.h>
#include <cstdlib>
struct Shift { int by, times; };
typedef int (*Move)(int);
__device__ int stay(int i) { return i; }
__device__ int next(int i) { return i + 1; }
DECLARED
__global__ void move(float *a, int n, int which) {
  int i = threadIdx.x;
  float x = a[PLACE];
  a[i] = x;
}
MORE
int main(int argc, char **argv) {
  float *a;
  cudaMalloc(&a, 1024 * sizeof(float));
  int which = atoi(argv[1]);
  BODY
  if (which >= 0 && which < 2) move<<<1, 64>>>(a, argc, which);
}
"""
WAYS = [  # a declaration, the place that is read, and what to replace for a race
    ("__device__ int by = 0;", "i + by", "= 0", "= 1"),
    ("__device__ const int by = 0;", "i + by", "= 0", "= 1"),
    ("__device__ int by[] = {0, 0};", "i + by[which]", "0}", "1}"),
    ("static __device__ int by[2][2] = {{0, 0}, {0, 0}};", "i + by[which][which]", "0}}", "1}}"),
    ("__device__ Shift by = {0, 1};", "i + by.by * by.times", "{0", "{1"),
    ("__device__ Shift by[] = {{0, 1}, {1, 0}};", "i + by[which].by * by[which].times", "{1, 0}", "{1, 1}"),
    ("__device__ Move by = stay;", "by(i)", "= stay", "= next"),
    ("__device__ Move by[] = {stay, stay};", "by[which](i)", "stay}", "next}"),
    ("__constant__ Move by[] = {stay, stay};", "by[which](i)", "stay}", "next}"),
]


def outcome(folder: Path, declared: str, place: str, more: str = "", body: str = "") -> tuple[Outcome, bool]:
    """That of the kernel `move`, and whether there were pairs, all of which were discharged."""
    text = PROGRAM.replace("DECLARED", declared).replace("PLACE", place).replace("MORE", more).replace("BODY", body)
    report = check(folder, text, kernels=("move",))
    pairs, discharged = decided(report)
    return report.kernels[0].outcome, pairs == discharged > 0


@pytest.mark.parametrize(("declared", "place", "old", "new"), WAYS)
def test_what_is_declared_is_there(tmp_path: Path, declared: str, place: str, old: str, new: str) -> None:
    assert outcome(tmp_path, declared, place) == (Outcome.SAFE, True)
    assert outcome(tmp_path, declared.replace(old, new), place)[0] is Outcome.RACE


@pytest.mark.parametrize(
    ("more", "body"),
    [
        ("__global__ void set(int v) { by[1] = v; }", "set<<<1, 1>>>(which);"),
        ("__global__ void set(int v) { atomicAdd(&by[1], v); }", "set<<<1, 1>>>(which);"),
        ("__global__ void set(int v) { by[1]++; }", "set<<<1, 1>>>(which);"),
        ("__device__ void put(int *p) { p[1] = 1; } __global__ void set() { put(by); }", "set<<<1, 1>>>();"),
        ("__device__ void put(int (&p)[2]) { p[1] = 1; } __global__ void set() { put(by); }", "set<<<1, 1>>>();"),
        ("__device__ int *other = &by[1]; __global__ void set() { *other = 1; }", "set<<<1, 1>>>();"),
        ("__global__ void set() { int *p = by; p[1] = 1; }", "set<<<1, 1>>>();"),
        ("", "int one = 1; cudaMemcpyToSymbol(by, &one, 4, 4);"),
        ("", "int *p; cudaGetSymbolAddress((void **)&p, by); cudaMemset(p, 1, 8);"),
        ('__global__ void set() { asm volatile("st.global.u32 [by], 1;" ::: "memory"); }', "set<<<1, 1>>>();"),
        ("__global__ void set(int v) { (by[0] ? by[0] : by[1]) = v; }", "set<<<1, 1>>>(which);"),
        ("__global__ void set(int v) { int &r = (v ? by[0] : by[1]); r = 1; }", "set<<<1, 1>>>(which);"),
        ("template <class T> __global__ void set(T v) { by[1] = v; }", "set<<<1, 1>>>(which);"),
    ],
)
def test_what_may_change_it(tmp_path: Path, more: str, body: str) -> None:
    assert outcome(tmp_path, "__device__ int by[] = {0, 0};", "i + by[which]", more, body)[0] is not Outcome.SAFE


def test_others_may_change_it_where_no_main_is_seen(tmp_path: Path) -> None:
    kernel = (
        "__device__ int by = 0; __global__ void move(float *a) { float x = a[threadIdx.x + by]; a[threadIdx.x] = x; }"
    )
    assert [k.outcome for k in check(tmp_path, kernel).kernels] == [Outcome.RACE]


@pytest.mark.parametrize(("values", "safe"), [("{0, 0}", True), ("{0, 1}", False)])
def test_what_the_host_copies_there_is_there(tmp_path: Path, values: str, safe: bool) -> None:
    body = f"int h[2] = {values}; cudaMemcpyToSymbol(by, h, 8); move<<<1, 64>>>(a, 64, 1); return 0;"
    assert (outcome(tmp_path, "__device__ int by[2];", "i + by[which]", "", body)[0] is Outcome.SAFE) is safe
