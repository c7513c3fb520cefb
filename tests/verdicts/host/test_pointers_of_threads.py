"""Pointers that threads of the host are given: they lead to what each thread was given, one object or two."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome, Report
from tests.checking import check, decided

PROGRAM = """
#include <cuda_runtime.h>
#include <functional>
#include <future>
#include <pthread.h>
#include <thread>
#include <vector>
const int N = 4096;
__global__ void shift(float *to, const float *from, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 1 < n) to[i] = from[i + 1] * 2;
}
static void work(int part, float *to, const float *from) {
  cudaStream_t s;
  cudaStreamCreate(&s);
  shift<<<16, 256, 0, s>>>(to + part * N, from + part * N, N);
  cudaStreamSynchronize(s);
}
MORE
int main(int argc, char **argv) {
  float *x, *y;
  cudaMalloc(&x, 4 * N * sizeof(float)), cudaMalloc(&y, 4 * N * sizeof(float));
  std::vector<std::thread> v;
  BODY
  for (auto &t : v) t.join();
  cudaFree(x), cudaFree(y);
}
"""
TOLD = [  # Y: x or y
    "std::thread t(work, 0, x, Y); t.join();",
    "std::thread t(&work, 0, x, Y); t.join();",
    "v.emplace_back(work, 0, x, Y);",
    "v.push_back(std::thread(work, 0, x, Y));",
    "for (int i = 0; i < 4; i++) v.emplace_back(work, i, x, Y);",
    "for (int i = 0; i < 4; i++) { float *to = x, *from = Y; v.emplace_back(work, i, to, from); }",
    "for (int i = 0; i < 4; i++) v.emplace_back([=] { work(i, x, Y); });",
    "for (int i = 0; i < 4; i++) v.emplace_back([&, i] { work(i, x, Y); });",
    "for (int i = 0; i < 4; i++) { auto f = [=] { work(i, x, Y); }; v.emplace_back(f); }",
    "for (int i = 0; i < 4; i++) v.emplace_back([to = x + i * N, from = Y + i * N] { work(0, to, from); });",
    "auto f = [](float *to, float *from) { work(0, to, from); }; v.emplace_back(f, x, Y);",
    "float *from = Y; v.emplace_back([&x, &from] { work(0, x, from); });",
    "auto f = std::async(std::launch::async, work, 0, x, Y); f.get();",
    "auto f = std::async(std::launch::async, [=] { work(0, x, Y); }); f.get();",
    "float *none = argc > 1 ? x : nullptr; v.emplace_back(work, 0, none, Y);",
]

KEPT = "typedef void (*Work)(int, float *, const float *);  void keep(Work f);"
RECORD = """
struct Both { float *to, *from; };
static void one(Both both) { work(0, both.to, both.from); }
"""
METHOD = "struct Worker { float *to, *from; void run(int part) { work(part, to, from); } };"


def report(folder: Path, body: str, more: str = "") -> Report:
    return check(folder, PROGRAM.replace("BODY", body).replace("MORE", more))


@pytest.mark.parametrize("body", TOLD)
def test_two_objects(tmp_path: Path, body: str) -> None:
    found = report(tmp_path, body.replace("Y", "y"))
    pairs, discharged = decided(found)
    assert [k.outcome for k in found.kernels] == [Outcome.SAFE] and pairs == discharged > 0


@pytest.mark.parametrize("body", TOLD)
def test_one_object(tmp_path: Path, body: str) -> None:
    found = report(tmp_path, body.replace("Y", "x"))
    assert [k.outcome for k in found.kernels] != [Outcome.SAFE]


@pytest.mark.parametrize(("to", "safe"), [("sums", True), ("x", False)])
def test_an_array_decays(tmp_path: Path, to: str, safe: bool) -> None:
    more = """
static void sum(int part, float *x, float *y, float *to) {
  cudaStream_t s;
  cudaStreamCreate(&s);
  shift<<<16, 256, 0, s>>>(x + part * N, y + part * N, N);
  cudaMemcpyAsync(to + part, x + part * N, sizeof(float), cudaMemcpyDefault, s);
  cudaStreamSynchronize(s);
}
"""
    body = f"float sums[4]; for (int i = 0; i < 4; i++) v.emplace_back(sum, i, x, y, {to});"
    assert ([k.outcome for k in report(tmp_path, body, more).kernels] == [Outcome.SAFE]) is safe


@pytest.mark.parametrize(
    ("body", "more"),
    [
        ("v.emplace_back(work, 0, x, y); v.emplace_back(work, 1, x, x);", ""),
        ("v.emplace_back(work, 0, x, argc > 1 ? x : y);", ""),
        ("float *from = y; v.emplace_back([&] { work(0, x, from); }); from = x;", ""),
        ("v.emplace_back(work, 0, x, y); Work f = work; f(1, x, x);", KEPT),
        ("v.emplace_back(work, 0, x, y); keep(work);", KEPT),
        ("v.emplace_back(work, 0, x, y); std::function<void(int, float *, float *)> f = work; f(1, x, x);", ""),
        ("auto f = [=](float *from) { work(0, x, from); }; v.emplace_back(f, y); f(x);", ""),
        ("auto f = [=](float *from) { work(0, x, from); }; v.emplace_back(f, y), v.emplace_back(f, x);", ""),
        ("v.emplace_back(work, 0, x, y), v.emplace_back(std::ref(work), 0, x, x);", ""),
        ("v.emplace_back(work, 0, x, (float *)(size_t)argc);", ""),
        ("Both both{x, x}; v.emplace_back(one, both);", RECORD),
        ("Worker w{x, x}; v.emplace_back(&Worker::run, &w, 0);", METHOD),
    ],
)
def test_some_thread_may_be_given_one_object(tmp_path: Path, body: str, more: str) -> None:
    found = report(tmp_path, body, more)
    assert [k.outcome for k in found.kernels] != [Outcome.SAFE]
