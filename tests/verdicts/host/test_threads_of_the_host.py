"""Threads of the host that put work on streams of their own: what they share is unknown, what is joined is in order."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check

PROGRAM = """
#include <cuda_runtime.h>
#include <future>
#include <pthread.h>
#include <thread>
#include <vector>
const int N = 4096;
__global__ void scale(float *x, float f, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= f; }
struct Job { float *p; };
static int work(float *p) {
  cudaStream_t s;
  cudaStreamCreate(&s);
  scale<<<16, 256, 0, s>>>(p, 2, N);
  cudaStreamSynchronize(s);
  return 0;
}
static void own(float *p) {
  scale<<<16, 256, 0, cudaStreamPerThread>>>(p, 2, N);
  cudaStreamSynchronize(cudaStreamPerThread);
}
static void *job(void *given) { work(((Job *)given)->p); return nullptr; }

int main(int argc, char **argv) {
  float *x, *y;
  cudaMalloc(&x, N * sizeof(float)), cudaMalloc(&y, N * sizeof(float));
  cudaStream_t a;
  cudaStreamCreate(&a);
  BODY
  cudaDeviceSynchronize();
}
"""
TWINS = {  # a program, what leaves it without order, what orders it or gives it other memory
    "two threads": ("std::thread one(work, x), two(work, {}); one.join(), two.join();", "x", "y"),
    "joined before the next one": (
        "std::thread one(work, x); {} std::thread two(work, x); if (one.joinable()) one.join(); two.join();",
        "",
        "one.join();",
    ),
    "beside the first thread": (
        "std::thread one(work, x); {} scale<<<16, 256, 0, a>>>(x, 3, N); if (one.joinable()) one.join();",
        "",
        "one.join();",
    ),
    "default streams of threads": (
        "std::thread one(own, x); {} scale<<<16, 256, 0, cudaStreamPerThread>>>(x, 3, N);"
        "if (one.joinable()) one.join();",
        "",
        "one.join();",
    ),
    "results that come later": (
        "auto f = std::async(std::launch::async, work, x); {}"
        "auto g = std::async(std::launch::async, work, x); g.get();",
        "",
        "f.get();",
    ),
    "threads of POSIX": (
        "Job j = {{x}}, k = {{{}}}; pthread_t one, two; pthread_create(&one, nullptr, job, &j);"
        "pthread_create(&two, nullptr, job, &k); pthread_join(one, nullptr), pthread_join(two, nullptr);",
        "x",
        "y",
    ),
}


@pytest.mark.parametrize("name", TWINS)
def test_threads_without_order_are_not_safe(tmp_path: Path, name: str) -> None:
    body, without, ordered = TWINS[name]
    found = [check(tmp_path, PROGRAM.replace("BODY", body.format(part))) for part in (without, ordered)]
    racing, clear = ([n for k in report.kernels for n in k.launches if n.launch_span is not None] for report in found)
    assert any("may run at the same time and" in pair.reason for n in racing for pair in n.open_pairs)
    assert {n.outcome for n in racing if n.open_pairs} == {Outcome.UNKNOWN}
    assert {(n.outcome, n.pairs - n.discharged) for n in clear} == {(Outcome.SAFE, 0)}
    assert sum(n.pairs for n in clear) > 0
