"""Work that goes on although the host seems to have waited: impatient polls, algorithms that return early, deleters."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check, decided, outcomes_of_launches

PROGRAM = """
#include <cuda_runtime.h>
#include <array>
#include <cstdlib>
#include <memory>
#include <optional>
#include <thread>
#include <vector>
#include <thrust/execution_policy.h>
#include <thrust/fill.h>
#include <thrust/transform.h>
__global__ void put(int *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = i; }
__global__ void get(const int *x, int *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i];
}
static bool busy(cudaEvent_t e) { return cudaEventQuery(e) == cudaErrorNotReady; }
struct Job {
  cudaEvent_t e;
  bool done() const { return cudaEventQuery(e) != cudaErrorNotReady; }
  bool failed() const { return cudaEventQuery(e) != cudaSuccess; }
  bool take(const int *from, int &v) {
    if (cudaEventQuery(e) == cudaErrorNotReady) return false;
    v = from[0];
    return true;
  }
  bool look(const int *from, int &v) {
    cudaError_t q = cudaEventQuery(e);
    if (q != cudaSuccess && q != cudaErrorNotReady) return false;
    v = from[0];
    return true;
  }
  std::optional<int> poll(const int *from) {
    cudaError_t q = cudaEventQuery(e);
    if (q != cudaSuccess) return std::nullopt;
    return from[0];
  }
  std::optional<int> peek(const int *from) {
    cudaError_t q = cudaEventQuery(e);
    if (q != cudaSuccess && q != cudaErrorNotReady) return std::nullopt;
    return from[0];
  }
};
static bool wait_for(cudaEvent_t e, int most) {
  for (int i = 0; i < most; i++) if (cudaEventQuery(e) == cudaSuccess) return true;
  return false;
}
CLASS
int main() {
  int n = 1024, turns = 0; int *x, *y, *shared; cudaMalloc(&x, 4096), cudaMalloc(&y, 4096);
  cudaMallocManaged(&shared, 4096);
  cudaStream_t a, b; cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  cudaEvent_t e; cudaEventCreate(&e); cudaError_t st;
  BODY
  cudaDeviceSynchronize();
}
"""
POLLED = "put<<<4, 256, 0, a>>>(shared, n); cudaEventRecord(e, a); POLL turns += shared[3];"
PATIENT = {
    "a test": "while (cudaEventQuery(e) == cudaErrorNotReady) turns++;",
    "a variable": "st = cudaEventQuery(e); while (st == cudaErrorNotReady) { turns++; st = cudaEventQuery(e); }",
    "a break": "for (;;) { st = cudaEventQuery(e); if (st == cudaSuccess) break; turns++; }",
    "two tests of one answer": "do { st = cudaEventQuery(e); } while (st != cudaSuccess && st == cudaErrorNotReady);",
    "a function": "while (busy(e)) std::this_thread::yield();",
    "a stream": "while (cudaStreamQuery(a) == cudaErrorNotReady) turns++;",
    "all of two":
        "while (cudaStreamQuery(a) == cudaErrorNotReady || cudaStreamQuery(b) == cudaErrorNotReady) turns++;",
    "a flag": "bool done = false; while (!done) { done = cudaEventQuery(e) == cudaSuccess; turns++; }",
    "what goes on": "while (true) { if (cudaEventQuery(e) == cudaErrorNotReady) { turns++; continue; } break; }",
    "a method": "Job j{e}; while (!j.done()) turns++;",
    "a method that takes": "Job j{e}; int v; while (!j.take(shared, v)) turns++;",
    "an optional": "Job j{e}; std::optional<int> v; while (!(v = j.poll(shared))) turns++;",
    "an optional in the loop": "Job j{e}; while (true) { auto v = j.poll(shared); if (v) break; turns++; }",
    "a lambda": "auto ready = [&] { return cudaEventQuery(e) == cudaSuccess; }; while (!ready()) turns++;",
    "a number": "while (cudaEventQuery(e)) turns++;",
}  # fmt: skip
IMPATIENT = {
    "another test": "while (cudaEventQuery(e) == cudaErrorNotReady && turns < 100) turns++;",
    "a variable and another test":
        "st = cudaEventQuery(e); while (st == cudaErrorNotReady && turns++ < 100) st = cudaEventQuery(e);",
    "a counted loop": "for (int i = 0; i < 100; i++) if (cudaEventQuery(e) == cudaSuccess) break;",
    "another break": "for (;;) { if (cudaEventQuery(e) == cudaSuccess) break; if (++turns > 100) break; }",
    "once": "cudaEventQuery(e);",
    "a function": "wait_for(e, 100);",
    "a stream": "while (cudaStreamQuery(a) == cudaErrorNotReady && turns < 100) turns++;",
    "one of two":
        "while (cudaStreamQuery(a) == cudaErrorNotReady && cudaStreamQuery(b) == cudaErrorNotReady) turns++;",
    "the other way round": "while (cudaEventQuery(e) == cudaSuccess) turns++;",
    "another error": "while (cudaEventQuery(e) == cudaErrorInvalidValue) turns++;",
    "a flag": "bool done = false; while (!done) { done = cudaEventQuery(e) != cudaSuccess; turns++; }",
    "a flag that something else sets":
        "bool done = false; while (!done) { done = cudaEventQuery(e) == cudaSuccess; if (turns++ > 5) done = true; }",
    "a break if not": "while (true) { if (cudaEventQuery(e) == cudaErrorNotReady) break; turns++; }",
    "what goes on": "while (true) { if (turns++ == 0) continue; if (cudaEventQuery(e) == cudaErrorNotReady) break; }",
    "a method": "Job j{e}; while (!j.failed()) turns++;",
    "a method that looks": "Job j{e}; int v; while (!j.look(shared, v)) turns++;",
    "an optional": "Job j{e}; std::optional<int> v; while (!(v = j.peek(shared))) turns++;",
    "a lambda": "auto ready = [&] { return cudaEventQuery(e) != cudaSuccess; }; while (!ready()) turns++;",
}  # fmt: skip


def program(body: str, class_: str = "") -> str:
    return PROGRAM.replace("CLASS", class_).replace("BODY", body)


@pytest.mark.parametrize("name", PATIENT)
def test_polls_until_work_is_complete(tmp_path: Path, name: str) -> None:
    report = check(tmp_path, program(POLLED.replace("POLL", PATIENT[name])))
    assert outcomes_of_launches(report) == {Outcome.SAFE}
    assert decided(report) == (2, 2)


@pytest.mark.parametrize("name", IMPATIENT)
def test_polls_that_may_end_before(tmp_path: Path, name: str) -> None:
    report = check(tmp_path, program(POLLED.replace("POLL", IMPATIENT[name])))
    assert outcomes_of_launches(report) == {Outcome.UNKNOWN}


@pytest.mark.parametrize("name", ["a test", "a break", "a function", "a stream"])
def test_polls_in_each_iteration(tmp_path: Path, name: str) -> None:
    again = f"for (int k = 0; k < 3; k++) {{ {POLLED} }}"
    patient = check(tmp_path, program(again.replace("POLL", PATIENT[name])))
    assert outcomes_of_launches(patient) == {Outcome.SAFE}
    assert decided(patient) == (2, 2)
    once = PATIENT[name].replace("while", "if").replace("for (;;)", "")
    less = check(tmp_path, program(again.replace("POLL", once if "break" not in once else "cudaEventQuery(e);")))
    assert outcomes_of_launches(less) == {Outcome.UNKNOWN}


FILLED = "POLICY thrust::fill(policy, x, x + n, 3); WAIT get<<<4, 256, 0, b>>>(x, y, n);"


@pytest.mark.parametrize(
    ("policy", "wait", "outcome"),
    [
        ("auto policy = thrust::cuda::par_nosync.on(a);", "", Outcome.UNKNOWN),
        ("const auto &policy = thrust::cuda::par_nosync;", "", Outcome.UNKNOWN),
        ("auto policy = thrust::cuda::par_nosync.on(a);", "cudaStreamSynchronize(a);", Outcome.SAFE),
        ("auto policy = thrust::cuda::par_nosync.on(b);", "", Outcome.SAFE),
        ("auto policy = thrust::cuda::par.on(a);", "", Outcome.SAFE),
    ],
)
def test_algorithms_that_return_before_they_are_done(tmp_path: Path, policy: str, wait: str, outcome: Outcome) -> None:
    report = check(tmp_path, program(FILLED.replace("POLICY", policy).replace("WAIT", wait)))
    assert outcomes_of_launches(report) == {outcome}
    assert decided(report) == (2, 2)


OWNED = (
    "for (int t = 0; t < 4; t++) { int *p; cudaMallocAsync(&p, 4096, a);"
    "std::shared_ptr<int> own(p, [=](int *q) { FREE; }); put<<<4, 256, 0, a>>>(own.get(), n); }"
)


@pytest.mark.parametrize(("free", "outcome"), [("cudaFreeAsync(q, b)", Outcome.UNKNOWN), ("cudaFree(q)", Outcome.SAFE)])
def test_deleters_that_give_memory_back_in_a_stream(tmp_path: Path, free: str, outcome: Outcome) -> None:
    report = check(tmp_path, program(OWNED.replace("FREE", free)))
    assert outcomes_of_launches(report) == {outcome}


LANES = """
struct Lane { int lo = 0, hi = 0; cudaStream_t s; std::array<cudaEvent_t, 2> done{}; };
__global__ void sweep(const int *in, int *out, int lo, int hi) {
  int i = lo + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < hi) out[i] = in[i - 1] + in[i + 1];
}
"""
TILES = """
  std::vector<Lane> lanes(4);
  for (int t = 0; t < 4; t++) {
    lanes[t].lo = 1 + t * 16; lanes[t].hi = 17 + t * 16;
    cudaStreamCreateWithFlags(&lanes[t].s, cudaStreamNonBlocking);
    for (auto &d : lanes[t].done) cudaEventCreate(&d);
  }
  for (int k = 0; k < 4; k++)
    for (int t = 0; t < 4; t++) {
      std::vector<int> beside; if (t > 0) beside.push_back(t - 1); if (t < 3) beside.push_back(t + 1);
      if (k > 0) for (int o : beside) cudaStreamWaitEvent(lanes[t].s, lanes[o].done[(k + 1) & 1], 0);
      sweep<<<1, 16, 0, lanes[t].s>>>(k & 1 ? y : x, k & 1 ? x : y, lanes[t].lo, lanes[t].hi);
      cudaEventRecord(lanes[t].done[k & 1], lanes[t].s);
    }
"""


OTHER_TILES = """
  std::vector<cudaStream_t> s(4); std::vector<cudaEvent_t> done(8);
  for (auto &one : s) cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
  for (auto &one : done) cudaEventCreate(&one);
  for (int k = 0; k < 4; k++)
    for (int t = 0; t < 4; t++) {
      std::vector<int> beside; BESIDE
      if (k > 0) for (int o : beside) cudaStreamWaitEvent(s[t], done[2 * o + ((k + 1) & 1)], 0);
      sweep<<<1, 16, 0, s[t]>>>(k & 1 ? y : x, k & 1 ? x : y, 1 + t * 16, 17 + t * 16);
      cudaEventRecord(done[2 * t + (k & 1)], s[t]);
    }
"""


KNOWN_NEIGHBOURS = "if (t > 0) beside.push_back(t - 1); if (t < 3) beside.push_back(t + 1);"
NEIGHBOURS = {KNOWN_NEIGHBOURS: Outcome.SAFE, 'beside.push_back(std::atoi(std::getenv("NEXT")));': Outcome.UNKNOWN}


def test_numbers_that_are_lost(tmp_path: Path) -> None:
    assert outcomes_of_launches(check(tmp_path, program(TILES, LANES))) == {Outcome.UNKNOWN}


@pytest.mark.parametrize("beside", NEIGHBOURS)
def test_events_that_only_the_contents_of_a_container_tell(tmp_path: Path, beside: str) -> None:
    report = check(tmp_path, program(OTHER_TILES.replace("BESIDE", beside), LANES))
    assert outcomes_of_launches(report) == {NEIGHBOURS[beside]}
