"""Memory of the host that functions in streams use by pointers in what they are given, and the host meanwhile."""

from math import inf
from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from hgrd.program.linked import link
from hgrd.simulate.program_run.concrete_run import run_beside_launches
from tests.checking import check, parse

PROGRAM = """
#include <cuda_runtime.h>
#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <vector>
struct Summary { double sum = 0; int batches = 0; };
struct Job { const float *parts; int count; Summary *summary; };
static void fold(void *data) {
  const Job &job = *static_cast<const Job *>(data);
  Summary &s = *job.summary;
  for (int i = 0; i < job.count; ++i) s.sum += job.parts[i];
  ++s.batches;
}
__global__ void one(float *a) { a[threadIdx.x] = 1; }
int main() {
  float *d, *h;
  cudaMalloc(&d, 64 * sizeof(float));
  cudaMallocHost(&h, 64 * sizeof(float));
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaEvent_t copied;
  cudaEventCreate(&copied);
  Summary summary, others[2];
  DECLARED
  for (int b = 0; b < 8; b++) {
    one<<<1, 64, 0, s>>>(d);
    cudaMemcpyAsync(h, d, 64 * sizeof(float), cudaMemcpyDeviceToHost, s);
    if (b == 7) cudaEventRecord(copied, s);
    cudaLaunchHostFunc(s, fold, GIVEN);
  }
  WAITED
  bool good = summary.sum > 3 && others[1].batches == 0;
  cudaStreamSynchronize(s);
  return good;
}
"""
WAIT = "cudaStreamSynchronize(s);"
JOB = "Job{h, 64, &summary}"
HELD = {
    "a variable": (f"Job job{JOB[3:]};", "&job"),
    "new": (f"Job *job = new Job{JOB[3:]};", "job"),
    "an array": (f"Job jobs[8]; for (auto &j : jobs) j = {JOB};", "&jobs[b]"),
    "copies in a vector": (f"std::vector<Job> jobs(8, {JOB});", "&jobs[b]"),
    "a list": (f"std::vector<Job> jobs{{{JOB}, {JOB}}};", "&jobs[b % 2]"),
    "one by one": (f"std::vector<Job> jobs; for (int i = 0; i < 8; i++) jobs.push_back({JOB});", "&jobs[b]"),
    "resized": (f"std::vector<Job> jobs; jobs.resize(8, {JOB});", "&jobs[b]"),
    "filled": (f"std::vector<Job> jobs(8); std::fill(jobs.begin(), jobs.end(), {JOB});", "&jobs[b]"),
    "a copy of a vector": (f"std::vector<Job> first(8, {JOB}); std::vector<Job> jobs = first;", "&jobs[b]"),
    "assigned": (f"std::vector<Job> first(8, {JOB}), jobs; jobs = first;", "&jobs[b]"),
    "a range": (f"std::vector<Job> first(8, {JOB}), jobs(first.begin(), first.end());", "&jobs[b]"),
    "members": ("std::vector<Job> jobs(8); for (auto &j : jobs) j.summary = &summary;", "&jobs[b]"),
    "a smart pointer": (f"auto job = std::make_unique<Job>({JOB});", "job.get()"),
    "a map": (f"std::map<int, Job> jobs; for (int i = 0; i < 8; i++) jobs[i] = {JOB};", "&jobs[b]"),
}


def program(declared: str, given: str, waited: str) -> str:
    return PROGRAM.replace("DECLARED", declared).replace("GIVEN", given).replace("WAITED", waited)


@pytest.mark.parametrize("waited", ["", "cudaEventSynchronize(copied);"])
@pytest.mark.parametrize("held", HELD.values(), ids=HELD)
def test_the_host_reads_what_a_function_in_a_stream_writes(tmp_path: Path, held: tuple[str, str], waited: str) -> None:
    text = program(*held, waited)
    (kernel,) = check(tmp_path, text).kernels
    line = 1 + text[: text.index("bool good")].count("\n")
    reasons = {p.reason for p in kernel.launches[0].open_pairs}
    assert kernel.outcome is Outcome.UNKNOWN
    assert any(f"the host reads 'summary' at program.cu:{line} while the callback" in reason for reason in reasons)


@pytest.mark.parametrize("held", HELD.values(), ids=HELD)
def test_or_it_waits_first(tmp_path: Path, held: tuple[str, str]) -> None:
    (kernel,) = check(tmp_path, program(*held, WAIT)).kernels
    assert kernel.outcome is Outcome.SAFE
    assert [(n.pairs, n.discharged) for n in kernel.launches] == [(1, 1)]


def test_variables_that_no_function_gets_are_the_hosts_own(tmp_path: Path) -> None:
    declared, given = HELD["a map"]
    text = program(declared.replace("&summary", "&others[0]"), given, "")
    reasons = {p.reason for k in check(tmp_path, text).kernels for n in k.launches for p in n.open_pairs}
    assert not any("'summary'" in reason for reason in reasons)


@pytest.mark.parametrize(("waited", "racy"), [("", True), ("cudaEventSynchronize(copied);", True), (WAIT, False)])
def test_a_run_shows_it(tmp_path: Path, waited: str, racy: bool) -> None:
    tables = link((parse(tmp_path, program(*HELD["copies in a vector"], waited)),))
    found = run_beside_launches(tables, tables.functions["main"], inf).races
    assert bool(found) is racy
    assert {race.name for race in found} <= {"summary"}
