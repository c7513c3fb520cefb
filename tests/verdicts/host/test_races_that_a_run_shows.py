"""Races beside launches that a run of the program shows: with other work on the device, callbacks and the host."""

from math import inf
from pathlib import Path

import pytest

from hgrd.engine.analysis.program import analyze
from hgrd.engine.analysis.replay import LateReplayer
from hgrd.findings.asked_pair import AskedPair
from hgrd.findings.model import Confidence, KernelReport, Level, Outcome
from hgrd.findings.options import AnalysisOptions
from hgrd.host.run import run_host
from hgrd.program.linked import link
from hgrd.simulate.program_run.concrete_run import races_in_concrete_run
from tests.checking import parse

HEAD = """
#include <cuda_runtime.h>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>
__global__ void add(const int *in, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] + 1;
}
"""


def _checked(folder: Path, text: str) -> tuple[KernelReport, ...]:
    return analyze((parse(folder, text),), AnalysisOptions(), LateReplayer(inf)).kernels


def _line(text: str, part: str) -> int:
    (found,) = (number for number, line in enumerate(text.splitlines(), 1) if part in line)
    return found


def _races(kernel: KernelReport) -> set[tuple[int, int, Confidence]]:
    return {(f.first.span.line, f.second.span.line, f.confidence) for f in kernel.findings}


CALLBACK = (
    HEAD
    + """
struct Table { const int *counts; int *sums; int n; };
void fill(void *p) {
  Table *t = (Table *)p;
  int sum = 0;
  for (int i = 0; i < t->n; i++) {
    sum += t->counts[i];
    t->sums[i] = sum;  // stores
  }
}
int main() {
  const int n = 64;
  int *d_in, *d_out, *counts, *sums;
  cudaMalloc(&d_in, n * 4), cudaMalloc(&d_out, n * 4), cudaMallocHost(&counts, n * 4), cudaMallocHost(&sums, n * 4);
  for (int i = 0; i < n; i++) counts[i] = i;
  cudaStream_t s, t;
  cudaEvent_t e;
  cudaStreamCreate(&s), cudaStreamCreate(&t), cudaEventCreate(&e);
  Table table{counts, sums, n};
  BEFORE
  cudaLaunchHostFunc(s, fill, &table);
  AFTER
  cudaStreamWaitEvent(t, e, 0);
  cudaMemcpyAsync(d_in, sums, n * 4, cudaMemcpyHostToDevice, t);  // copies
  add<<<1, 64, 0, t>>>(d_in, d_out, n);
  cudaDeviceSynchronize();
}
"""
)


@pytest.mark.parametrize(("before", "after"), [(True, False), (False, True)])
def test_a_copy_of_what_a_callback_stores(tmp_path: Path, before: bool, after: bool) -> None:
    record = "cudaEventRecord(e, s);"
    text = CALLBACK.replace("BEFORE", record if before else "").replace("AFTER", record if after else "")
    (kernel,) = _checked(tmp_path, text)
    if after:
        assert (kernel.outcome, _races(kernel)) == (Outcome.SAFE, set())
        return
    races = {(_line(text, "// copies"), _line(text, "// stores"), Confidence.CONFIRMED)}
    assert (kernel.outcome, _races(kernel)) == (Outcome.RACE, races)


BUFFERS = (
    HEAD
    + """
template <class T> class Buffer {
  T *data_ = nullptr;
public:
  explicit Buffer(size_t n) { cudaMalloc(&data_, n * sizeof(T)); }
  Buffer(Buffer &&other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
  ~Buffer() { if (data_) cudaFree(data_); }
  T *get() const { return data_; }
};
int main() {
  const int n = 512, parts = 8;
  std::vector<int> h(n, 1);
  Buffer<int> in(n), out(n * parts);
  cudaMemcpy(in.get(), h.data(), n * 4, cudaMemcpyHostToDevice);
  std::vector<Buffer<int>> scratch;
  for (int i = 0; i < SETS; i++) scratch.emplace_back(n);
  std::vector<cudaStream_t> streams(4);
  for (auto &s : streams) cudaStreamCreate(&s);
  for (int i = 0; i < parts; i++) {
    cudaStream_t s = streams[i % streams.size()];
    int *mine = scratch[i % scratch.size()].get();
    add<<<n / 128, 128, 0, s>>>(in.get(), mine, n);
    add<<<n / 128, 128, 0, s>>>(mine, out.get() + i * n, n);
  }
  cudaDeviceSynchronize();
}
"""
)


@pytest.mark.parametrize(("sets", "racy"), [(3, True), (4, False)])
def test_a_pool_of_buffers_for_a_pool_of_streams(tmp_path: Path, sets: int, racy: bool) -> None:
    text = BUFFERS.replace("SETS", str(sets))
    (kernel,) = _checked(tmp_path, text)
    line = _line(text, "out[i] = in[i]")
    assert (kernel.outcome is Outcome.RACE) is racy
    assert _races(kernel) == ({(line, line, Confidence.CONFIRMED)} if racy else set())


HOST = (
    HEAD
    + """
int main(int argc, char **argv) {
  const int n = 256;
  int *d_in, *h;
  cudaMalloc(&d_in, n * 4), cudaMemset(d_in, 0, n * 4), cudaHostAlloc(&h, n * 4, cudaHostAllocMapped);
  int *there;
  cudaHostGetDevicePointer((void **)&there, h, 0);
  cudaStream_t s;
  cudaStreamCreate(&s);
  add<<<2, 128, 0, s>>>(d_in, there, n);
  WAIT
  int sum = 0;
  for (int i = 0; i < n; i++) sum += h[i];
  printf("%d", sum);
  cudaDeviceSynchronize();
}
"""
)


@pytest.mark.parametrize(
    ("wait", "racy"),
    [
        ("if (argc > 1) cudaStreamSynchronize(s);", True),
        ('if (cudaStreamQuery(s) == cudaErrorNotReady) printf("later");', True),
        ("if (cudaStreamQuery(s) != cudaSuccess) return 1;", False),
        ("if (cudaStreamQuery(s) != cudaSuccess) cudaStreamSynchronize(s);", False),
        ("while (cudaStreamQuery(s) == cudaErrorNotReady) {}", False),
        ("if (argc < 2) cudaStreamSynchronize(s);", False),
        ("cudaFree(d_in);", False),
    ],
)
def test_the_host_reads_while_a_kernel_may_run(tmp_path: Path, wait: str, racy: bool) -> None:
    text = HOST.replace("WAIT", wait)
    (kernel,) = _checked(tmp_path, text)
    races = {(_line(text, "out[i] = in[i]"), _line(text, "sum += h[i]"), Confidence.CONFIRMED)}
    assert {r for r in _races(kernel) if r[2] is Confidence.CONFIRMED} == (races if racy else set())
    assert (kernel.outcome is Outcome.RACE) is racy


VECTORS = (
    HEAD
    + """
__global__ void visit(const int *first, const int *next, const int *front, int count, int *sum) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  int v = front[i];
  for (int e = first[v]; e < first[v + 1]; e++) sum[next[e]] += 1;
}
__global__ void step(int *front, int *count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) front[i] = DISTANCE;
  if (i == 0) *count = n;
}
int main(int argc, char **argv) {
  const int n = 64;
  std::vector<int> first, next, front(n, 0);
  for (int v = 0; v < n; v++) {
    first.push_back(next.size());
    next.push_back(v);
  }
  first.push_back(next.size());
  int *d_first, *d_next, *d_front, *d_sum, *d_count, count = 0;
  cudaMalloc(&d_first, first.size() * 4), cudaMalloc(&d_next, next.size() * 4);
  cudaMalloc(&d_front, n * 4), cudaMalloc(&d_sum, n * 4), cudaMalloc(&d_count, 4);
  cudaMemcpy(d_first, first.data(), first.size() * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(d_next, next.data(), next.size() * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(d_front, front.data(), n * 4, cudaMemcpyHostToDevice);
  cudaMemset(d_sum, 0, n * 4);
  step<<<1, 64>>>(d_front, d_count, n);
  cudaMemcpy(&count, d_count, 4, cudaMemcpyDeviceToHost);
  visit<<<(count + 63) / 64, 64>>>(d_first, d_next, d_front, count, d_sum);
  cudaDeviceSynchronize();
}
"""
)


@pytest.mark.parametrize(("distance", "racy"), [("i / 2", True), ("n - 1 - i", False)])
def test_a_kernel_finds_what_vectors_and_an_earlier_kernel_held(tmp_path: Path, distance: str, racy: bool) -> None:
    text = VECTORS.replace("DISTANCE", distance)
    program = parse(tmp_path, text)
    (visit,) = (k for k in analyze((program,), AnalysisOptions()).kernels if k.kernel == "visit")
    found = (*visit.launches[0].findings, *visit.launches[0].open_pairs)
    asked = tuple(
        AskedPair(p.first, p.second, p.space, tuple(Level)) for p in found if p.first and p.second and p.space
    )
    tables, launch = link((program,)), run_host((program,)).launches[1]
    shown = races_in_concrete_run(tables, tables.functions["main"], launch, asked, inf)
    line = _line(text, "sum[next[e]] += 1")
    races = {(f.first.span.line, f.second.span.line, f.confidence) for f in shown.values()}
    assert races == ({(line, line, Confidence.CONFIRMED)} if racy else set())
