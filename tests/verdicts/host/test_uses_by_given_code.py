"""Code that the library is given, or holds, uses memory where it is called: algorithms, functions, tables of jobs."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check, outcomes_of_launches

PROGRAM = """
#include <cuda_runtime.h>
#include <algorithm>
#include <functional>
#include <numeric>
#include <tuple>
#include <vector>
__global__ void put(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = i; }
struct Job {
  float *p;
  void operator()() const { p[0] = 1; }
};
int main() {
  float *d, *h;
  cudaMalloc(&d, 4096);
  cudaMallocHost(&h, 4096);
  std::vector<int> w(8);
  float sum = 0;
  cudaStream_t a;
  cudaStreamCreate(&a);
  BEFORE
  put<<<4, 256, 0, a>>>(d, 1024);
  cudaMemcpyAsync(h, d, 4096, cudaMemcpyDeviceToHost, a);
  WAIT
  USE
  cudaStreamSynchronize(a);
}
"""
USING = [
    ("", "std::for_each(w.begin(), w.end(), [&](int k) { sum += h[k]; });"),
    ("", "std::transform(w.begin(), w.end(), w.begin(), [&](int k) { return (int)h[k]; });"),
    ("", "std::sort(w.begin(), w.end(), [&](int i, int j) { return h[i] < h[j]; });"),
    ("", "sum = std::accumulate(w.begin(), w.end(), 0.f, [&](float s, int k) { return s + h[k]; });"),
    ("", "if (std::any_of(w.begin(), w.end(), [&](int k) { return h[k] > 0; })) sum++;"),
    ("", "std::generate(w.begin(), w.end(), [&] { return (int)h[0]; });"),
    ("", "std::invoke([&](int k) { h[k] = 1; }, 2);"),
    ("", "std::apply([&](int k) { h[k] = 1; }, std::make_tuple(2));"),
    ("", "std::function<void(int)> f = [&](int k) { h[k] = 1; }; f(2);"),
    ("", "std::function<void()> f = Job{h}; f();"),
    ("std::function<float()> f = [=] { return h[2]; };", "sum += f();"),
    ("std::vector<std::function<void()>> jobs; jobs.push_back([=] { h[2] = 1; });", "jobs[0]();"),
    ("std::vector<std::function<void()>> jobs; jobs.emplace_back(Job{h});", "for (auto &job : jobs) job();"),
    ("auto run = [](const std::function<void()> &g) { g(); };", "run([&] { h[2] = 1; });"),
    ("auto f = std::bind([&](int k) { h[k] = 1; }, 2);", "f();"),
]
OTHER = [
    ("std::function<float()> f = [=] { return h[2]; };", ""),
    ("", "std::for_each(w.begin(), w.end(), [&](int k) { sum += k; });"),
    (
        "std::vector<cudaStream_t> s(2);",
        "std::for_each(s.begin(), s.end(), [](cudaStream_t t) { cudaStreamQuery(t); });",
    ),
]


@pytest.mark.parametrize(("before", "use"), USING)
def test_code_that_runs_too_early(tmp_path: Path, before: str, use: str) -> None:
    assert _outcomes(tmp_path / "early", before, use, "") == {Outcome.UNKNOWN}
    assert _outcomes(tmp_path / "late", before, use, "cudaStreamSynchronize(a);") == {Outcome.SAFE}


@pytest.mark.parametrize(("before", "use"), OTHER)
def test_code_that_does_not_use_the_memory(tmp_path: Path, before: str, use: str) -> None:
    assert _outcomes(tmp_path / "early", before, use, "") == {Outcome.SAFE}


def _outcomes(folder: Path, before: str, use: str, wait: str) -> set[Outcome]:
    folder.mkdir()
    text = PROGRAM.replace("BEFORE", before).replace("USE", use).replace("WAIT", wait)
    return outcomes_of_launches(check(folder, text))
