"""Races beside kernels: of copies with the host and with each other, in some iterations of a loop, and of graphs."""

from pathlib import Path

import pytest

from hgrd.findings.model import Confidence, Outcome
from tests.checking import check, decided

PROGRAM = """
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>
__global__ void count(const int *in, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] + 1;
}
void anything(int *);
int main(int argc, char **argv) {
  const int n = 4096;
  int *d_in, *d_out, *h;
  cudaMalloc(&d_in, n * 4), cudaMalloc(&d_out, n * 4);
  MADE
  cudaStream_t s, t;
  cudaEvent_t e;
  cudaStreamCreate(&s), cudaStreamCreate(&t), cudaEventCreate(&e);
  for (int i = 0; i < n; i++) h[i] = i;
  cudaMemcpyAsync(d_in, h, n * 4, cudaMemcpyHostToDevice, s);
  count<<<n / 256, 256, 0, s>>>(d_in, d_out, n);
  cudaMemcpyAsync(h, d_out, n * 4, cudaMemcpyDeviceToHost, s);
  WAIT
  long sum = 0;
  for (int i = 0; i < n; i++) sum += h[i];
  printf("%ld", sum);
}
"""
PINNED = "cudaMallocHost(&h, n * 4);"


def _check(folder: Path, text: str) -> tuple[Outcome, list[tuple[int, int, Confidence]]]:
    (kernel,) = check(folder, text).kernels
    found = [(f.first.span.line, f.second.span.line, f.confidence) for f in kernel.findings]
    return kernel.outcome, found


@pytest.mark.parametrize(
    ("wait", "outcome"),
    [
        ("", Outcome.RACE),
        ("cudaStreamSynchronize(t);", Outcome.RACE),
        ("cudaEventRecord(e, t); cudaEventSynchronize(e);", Outcome.RACE),
        ("cudaStreamDestroy(s);", Outcome.RACE),
        ("if (argc > 1) cudaStreamSynchronize(s);", Outcome.UNKNOWN),
        ("if (cudaStreamQuery(s) != cudaSuccess) return 1;", Outcome.UNKNOWN),
        ("cudaLaunchHostFunc(s, [](void *) {}, 0);", Outcome.UNKNOWN),
        ("cudaStreamSynchronize(s);", Outcome.SAFE),
        ("cudaDeviceSynchronize();", Outcome.SAFE),
        ("while (cudaStreamQuery(s) != cudaSuccess) {}", Outcome.SAFE),
        ("cudaEventRecord(e, s); cudaEventSynchronize(e);", Outcome.SAFE),
        ("cudaMemcpy(h, d_out, n * 4, cudaMemcpyDeviceToHost);", Outcome.SAFE),
    ],
)
def test_the_host_reads_what_a_copy_writes(tmp_path: Path, wait: str, outcome: Outcome) -> None:
    text = PROGRAM.replace("MADE", PINNED).replace("WAIT", wait)
    lines = text.splitlines()
    copy, read = (next(n for n, line in enumerate(lines, 1) if part in line) for part in ("(h, d_out", "sum += "))
    races = [(copy, read, Confidence.DEFINITE)] if outcome is Outcome.RACE else []
    assert _check(tmp_path, text) == (outcome, races)


@pytest.mark.parametrize(
    ("made", "outcome"),
    [
        ("cudaHostAlloc(&h, n * 4, cudaHostAllocDefault);", Outcome.RACE),
        ("cudaMallocManaged(&h, n * 4);", Outcome.RACE),
        ("h = (int *)malloc(n * 4); cudaHostRegister(h, n * 4, 0);", Outcome.RACE),
        ("h = (int *)malloc(n * 4);", Outcome.SAFE),  # the host waits for copies into memory that is not locked
        ("h = new int[n];", Outcome.SAFE),
        ("std::vector<int> v(n); h = v.data();", Outcome.SAFE),
    ],
)
def test_memory_of_the_host(tmp_path: Path, made: str, outcome: Outcome) -> None:
    assert _check(tmp_path, PROGRAM.replace("MADE", made).replace("WAIT", ""))[0] is outcome


STEPS = """
#include <cuda_runtime.h>
__global__ void step(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] += 1; }
int main() {
  const int n = 4096;
  float *x, *shots;
  cudaMalloc(&x, n * 4), cudaMallocHost(&shots, 200 * n * 4);
  cudaMemset(x, 0, n * 4);
  cudaStream_t out;
  cudaStreamCreateWithFlags(&out, cudaStreamNonBlocking);
  cudaDeviceSynchronize();
  for (int s = 1; s <= 200; s++) {
    step<<<n / 256, 256>>>(x, n);
    if (TEST) cudaMemcpyAsync(shots + s * n, x, n * 4, cudaMemcpyDeviceToHost, out);
    AFTER
  }
  cudaDeviceSynchronize();
}
"""


@pytest.mark.parametrize(
    ("test", "after", "outcome"),
    [
        ("s % 20 == 0", "", Outcome.RACE),
        ("s == 200", "", Outcome.RACE),
        ("s % 1000 == 0", "", Outcome.SAFE),  # in no iteration
        ("s % 20 == 21", "", Outcome.SAFE),
        ("s % 20 == 0", "if (s == 7) break;", Outcome.UNKNOWN),
    ],
)
def test_work_of_some_iterations(tmp_path: Path, test: str, after: str, outcome: Outcome) -> None:
    assert _check(tmp_path, STEPS.replace("TEST", test).replace("AFTER", after))[0] is outcome


GRAPH = """
#include <cuda_runtime.h>
__global__ void make(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = i; }
__global__ void use(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[n - 1 - i];
}
int main(int argc, char **argv) {
  int n = 4096;
  float *x, *y;
  cudaMalloc(&x, n * 4), cudaMalloc(&y, n * 4);
  cudaGraph_t graph, second;
  cudaGraphExec_t exec;
  cudaGraphCreate(&graph, 0);
  cudaGraphNode_t first, last;
  void *made[] = {&x, &n}, *used[] = {&x, &y, &n};
  cudaKernelNodeParams p{}, q{};
  p.func = (void *)make, p.gridDim = dim3(16), p.blockDim = dim3(256), p.kernelParams = made;
  q.func = (void *)use, q.gridDim = dim3(16), q.blockDim = dim3(256), q.kernelParams = used;
  cudaGraphAddKernelNode(&first, graph, nullptr, 0, &p);
  cudaGraphAddKernelNode(&last, graph, AFTER, &q);
  BETWEEN
  cudaGraphInstantiate(&exec, graph, 0);
  LAUNCH
  cudaDeviceSynchronize();
}
"""
LAUNCH = "cudaGraphLaunch(exec, 0);"


@pytest.mark.parametrize(
    ("after", "between", "launch", "outcome"),
    [
        ("nullptr, 0", "", LAUNCH, Outcome.RACE),
        ("nullptr, 0", "", f"for (int i = 0; i < 3; i++) {LAUNCH}", Outcome.RACE),
        ("nullptr, 0", "", f"if (argc > 2) {LAUNCH}", Outcome.UNKNOWN),
        ("&first, 1", "", f"if (argc > 2) {LAUNCH} {LAUNCH}", Outcome.SAFE),
        ("nullptr, 0", "cudaGraphCreate(&second, 0);", LAUNCH, Outcome.UNKNOWN),
        ("nullptr, 0", "cudaGraphAddDependencies(graph, &first, &last, 1);", LAUNCH, Outcome.SAFE),
        ("&first, 1", "", LAUNCH, Outcome.SAFE),
    ],
)
def test_nodes_of_a_graph(tmp_path: Path, after: str, between: str, launch: str, outcome: Outcome) -> None:
    text = GRAPH.replace("AFTER", after).replace("BETWEEN", between).replace("LAUNCH", launch)
    report = check(tmp_path, text)
    assert {k.outcome for k in report.kernels} == {outcome}
    assert decided(report) == (2, 2)


@pytest.mark.parametrize("test", ["", "if (argc > 2)"])
def test_a_launch_of_a_graph_that_may_not_be_made(tmp_path: Path, test: str) -> None:
    """Between the first launch and the second one the host waits; what it does then meets only the second one."""
    launch = (
        f"{LAUNCH} int fetched; cudaMemcpy(&fetched, y, 4, cudaMemcpyDeviceToHost); "
        f"{test} {LAUNCH} cudaMemset(x, 0, 4);"
    )
    text = GRAPH.replace("AFTER", "&first, 1").replace("BETWEEN", "").replace("LAUNCH", launch)
    text = (
        text.replace("cudaGraphLaunch(exec, 0)", "cudaGraphLaunch(exec, s)")
        .replace("float *x, *y;", "float *x, *y; cudaStream_t s; cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);")
        .replace("cudaMemcpy(&fetched", "cudaStreamSynchronize(s); cudaMemcpy(&fetched")
    )
    make = next(k for k in check(tmp_path, text).kernels if k.kernel == "make")
    assert make.outcome is Outcome.RACE
