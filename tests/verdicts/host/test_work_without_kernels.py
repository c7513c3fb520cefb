"""Copies, fills and library calls at once: what they share is told to the launches that use it, or to all of them."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check, decided, outcomes_of_launches

PROGRAM = """
#include <cuda_runtime.h>
#include <cub/cub.cuh>
#include <curand.h>
__global__ void get(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i];
}
int main(int argc, char **argv) {
  const int n = 1024; float *x, *y, *z, *w; cudaMalloc(&x, 4096), cudaMalloc(&y, 4096), cudaMalloc(&z, 4096);
  cudaMalloc(&w, 4096); float *h, *g; cudaMallocHost(&h, 4096); cudaMallocHost(&g, 4096);
  void *tmp, *other; size_t bytes = 4096; cudaMalloc(&tmp, bytes), cudaMalloc(&other, bytes);
  cudaStream_t a, b; cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  cudaEvent_t e; cudaEventCreate(&e);
  ONE
  BETWEEN
  OTHER
  cudaDeviceSynchronize();
  LAUNCH
  cudaDeviceSynchronize();
}
"""
GET = "get<<<4, 256>>>(x, y, n);"
SUM = "cub::DeviceReduce::Sum({0}, bytes, z, {1}, n, {2});"
SCAN = "cub::DeviceScan::ExclusiveSum({0}, bytes, z, {1}, n, {2});"
UP = "cudaMemcpyAsync({0}, {1}, {2}, cudaMemcpyHostToDevice, {3});"
SHARING = {  # two pieces of work that share what one of them writes, and the same two apart
    "the storage of two algorithms": (
        (SUM.format("tmp", "w", "a"), SCAN.format("tmp", "x", "b")),
        (SUM.format("tmp", "w", "a"), SCAN.format("other", "x", "b")),
    ),
    "the result of two algorithms": (
        (SUM.format("tmp", "x", "a"), SCAN.format("other", "x", "b")),
        (SUM.format("tmp", "w", "a"), SCAN.format("other", "x", "b")),
    ),
    "two copies": (
        (UP.format("x", "h", 4096, "a"), UP.format("x", "g", 4096, "b")),
        (UP.format("x", "h", 4096, "a"), UP.format("w", "g", 4096, "b")),
    ),
    "parts of two copies": (
        (UP.format("x", "h", 2052, "a"), UP.format("x + 512", "h + 512", 2048, "b")),
        (UP.format("x", "h", 2048, "a"), UP.format("x + 512", "h + 512", 2048, "b")),
    ),
    "parts by a number of the input": (
        (UP.format("x", "h", "4 * argc + 2", "a"), UP.format("x + argc", "h", 4, "b")),
        (UP.format("x", "h", "4 * argc", "a"), UP.format("x + argc", "h", 4, "b")),
    ),
    "parts for some of the inputs that are accepted": (
        ("if (argc < 1 || argc > 900) return 1;" + UP.format("x", "h", 2048, "a"), UP.format("x + argc", "h", 4, "b")),
        ("if (argc < 512) return 1;" + UP.format("x", "h", 2048, "a"), UP.format("x + argc", "h", 4, "b")),
    ),
    "lines of two copies": (
        (
            "cudaMemcpy2DAsync(x, 64, h, 64, 36, 16, cudaMemcpyHostToDevice, a);",
            "cudaMemcpy2DAsync(x + 8, 64, h, 64, 32, 16, cudaMemcpyHostToDevice, b);",
        ),
        (
            "cudaMemcpy2DAsync(x, 64, h, 64, 32, 16, cudaMemcpyHostToDevice, a);",
            "cudaMemcpy2DAsync(x + 8, 64, h, 64, 32, 16, cudaMemcpyHostToDevice, b);",
        ),
    ),
    "a copy and a fill": (
        (UP.format("x", "h", 4096, "a"), "cudaMemsetAsync(x, 0, 4096, b);"),
        (UP.format("x", "h", 4096, "a"), "cudaMemsetAsync(w, 0, 4096, b);"),
    ),
    "a copy and an algorithm": (
        (UP.format("z", "h", 4096, "a"), SCAN.format("tmp", "x", "b")),
        (UP.format("w", "h", 4096, "a"), SCAN.format("tmp", "x", "b")),
    ),
}
SURE = ("copies", "copy", "number of the input", "result")  # of which both surely use the same elements
ORDERED = [
    "cudaStreamSynchronize(a);",
    "cudaEventRecord(e, a); cudaStreamWaitEvent(b, e, 0);",
    "cudaDeviceSynchronize();",
]
UNORDERED = ["", "cudaStreamSynchronize(b);", "cudaEventRecord(e, b); cudaStreamWaitEvent(b, e, 0);"]


def outcomes(folder: Path, works: tuple[str, str], between: str = "", launch: str = GET) -> set[Outcome]:
    one, other = works
    program = PROGRAM.replace("ONE", one).replace("BETWEEN", between).replace("OTHER", other)
    report = check(folder, program.replace("LAUNCH", launch))
    assert decided(report) == (1, 1)
    return outcomes_of_launches(report)


@pytest.mark.parametrize("between", UNORDERED)
@pytest.mark.parametrize("name", SHARING)
def test_what_two_share_is_told_to_a_kernel(tmp_path: Path, name: str, between: str) -> None:
    sure = any(part in name for part in SURE) and "lines" not in name
    assert outcomes(tmp_path, SHARING[name][0], between) == {Outcome.RACE if sure else Outcome.UNKNOWN}


@pytest.mark.parametrize("name", SHARING)
def test_what_two_do_not_share_is_safe(tmp_path: Path, name: str) -> None:
    assert outcomes(tmp_path, SHARING[name][1]) == {Outcome.SAFE}


@pytest.mark.parametrize("between", ORDERED)
@pytest.mark.parametrize("name", SHARING)
def test_two_in_an_order_are_safe(tmp_path: Path, name: str, between: str) -> None:
    assert outcomes(tmp_path, SHARING[name][0], between) == {Outcome.SAFE}


def test_where_no_kernel_uses_what_two_share_all_are_told(tmp_path: Path) -> None:
    works = SUM.format("tmp", "w", "a"), SCAN.format("tmp", "z + 512", "b")
    assert outcomes(tmp_path, works, launch="get<<<4, 256>>>(h, g, n);") == {Outcome.RACE}


def test_readers_share_nothing(tmp_path: Path) -> None:
    works = tuple(f"cudaMemcpyAsync({h}, x, 4096, cudaMemcpyDeviceToHost, {s});" for h, s in (("h", "a"), ("g", "b")))
    assert outcomes(tmp_path, (works[0], works[1])) == {Outcome.SAFE}


@pytest.mark.parametrize(
    ("one", "other", "outcome"),
    [
        ("cudaStreamPerThread", "cudaStreamPerThread", Outcome.SAFE),
        ("cudaStreamPerThread", "a", Outcome.RACE),
        ("cudaStreamLegacy", "cudaStreamLegacy", Outcome.SAFE),
        ("0", "cudaStreamLegacy", Outcome.SAFE),
        ("0", "a", Outcome.RACE),
    ],
)
def test_streams_that_are_written_as_numbers(tmp_path: Path, one: str, other: str, outcome: Outcome) -> None:
    works = UP.format("x", "h", 4096, one), f"cudaMemsetAsync(x, 0, 4096, {other});"
    assert outcomes(tmp_path, works) == {outcome}


THREADS = """
#include <cuda_runtime.h>
#include <curand.h>
#include <atomic>
#include <thread>
#include <vector>
__global__ void get(const float *__restrict__ x, float *__restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i];
}
struct Farm {
  float *x[4], *y[4]; std::atomic<int> next{0};
  Farm() { for (int i = 0; i < 4; i++) { cudaMalloc(&x[i], 4096); cudaMalloc(&y[i], 4096); } }
  void work(int w) {
    cudaStream_t s; cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    curandGenerator_t g; curandCreateGenerator(&g, CURAND_RNG_PSEUDO_DEFAULT); curandSetStream(g, s);
    for (;;) {
      int job = next.fetch_add(1); if (job >= 64) break;
      float h; curandGenerateUniform(g, x[PLACE], 1024);
      get<<<4, 256, 0, s>>>(x[PLACE], y[w], 1024);
      cudaMemcpyAsync(&h, y[w], 4, cudaMemcpyDeviceToHost, s); cudaStreamSynchronize(s);
    }
  }
};
int main() {
  Farm farm; std::vector<std::thread> pool;
  for (int w = 0; w < 4; w++) pool.emplace_back([&farm, w] { farm.work(w); });
  for (auto &t : pool) t.join();
}
"""


@pytest.mark.parametrize(
    ("place", "outcome"),
    [("w", Outcome.SAFE), ("job % 4", Outcome.UNKNOWN), ("w / 2", Outcome.UNKNOWN), ("0", Outcome.UNKNOWN)],
)
def test_threads_of_the_host_with_a_library(tmp_path: Path, place: str, outcome: Outcome) -> None:
    report = check(tmp_path, THREADS.replace("PLACE", place))
    assert decided(report) == (1, 1)
    assert outcomes_of_launches(report) == {outcome}
