"""Programs without input: they have one run, and what that shows of work at the same time is so in all runs."""

from math import inf
from pathlib import Path
from typing import Any

import pytest

from hgrd.engine.analysis.beside_run import ONLY_RUN
from hgrd.engine.analysis.program import analyze
from hgrd.engine.analysis.replay import LateReplayer
from hgrd.findings.model import Confidence, LaunchReport, Outcome
from hgrd.findings.options import AnalysisOptions
from tests.checking import parse

HEAD = """
#include <cuda_runtime.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>
constexpr int N = 1024;
__global__ void put(float *a, int n, float v) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = v + i;  // puts
}
__device__ int total[32];
__global__ void bump() { total[threadIdx.x] += threadIdx.x; }  // bumps
__global__ void count(float *a) { atomicAdd(&a[threadIdx.x & 31], 1.f); }
__global__ void shift(float *x, const float *y) {
  int i = blockIdx.x * 256 + threadIdx.x;
  x[i] = y[(i + 1) % N];  // shifts
}
__global__ void scatter(float *x, const int *at) { x[at[threadIdx.x]] = threadIdx.x; }  // scatters
__global__ void permute(int *at, int by) { at[threadIdx.x] = threadIdx.x * by % 32; }
__device__ int drawn_so_far;
__global__ void drawn(int *a) {
  int i = atomicAdd(&drawn_so_far, 1);
  if (i < N) a[i] = i;
}
__global__ void by_float(float *a) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (a[i] * 3.f > 1e9f) a[i] = 1.f;
}
__global__ void agree(float *a) {
  __shared__ float one;
  one = 1.f;
  __syncthreads();
  a[blockIdx.x * 256 + threadIdx.x] = one;
}
struct Job { float *p; };
__global__ void from_float(float *x, const float *y) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (y[i] * 3.f > 1e9f) x[i] = 1.f;
}
__global__ void shift_some(float *x, const float *y) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (y[i] * 3.f > 1e9f) x[i] = y[(i + 1) % N];
}
__global__ void by_member(Job job) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (job.p[i] * 3.f > 1e9f) job.p[i] = 1.f;
}
void CUDART_CB fill(void *job) { std::fill(((Job *)job)->p, ((Job *)job)->p + 4, 0.f); }
struct Lent {
  Job *job;
  float *p;
  Lent(Job *job, float *p) : job(job), p(p) {}
  ~Lent() { job->p = p; }
};
void CUDART_CB change(void *job) { ((Job *)job)->p[2] += 1.f; }  // changes
int pick(int k) {
  int steps[4] = {2, 0, 1, 0}, at = 0;
  for (int i = 0; i <= k; ++i) at = (at + steps[i & 3]) % 3;
  return at;
}
int main(int argc, char **argv) {
  float *b[3], *m[3], *h[3], sum = 0;
  int *at;
  cudaStream_t s[3];
  cudaEvent_t e[3];
  Job jobs[9];
  for (int i = 0; i < 3; ++i) {
    cudaMalloc(&b[i], N * 4), cudaMallocManaged(&m[i], N * 4), cudaMallocHost(&h[i], N * 4);
    cudaStreamCreateWithFlags(&s[i], cudaStreamNonBlocking), cudaEventCreate(&e[i]);
  }
  cudaMalloc(&at, 32 * 4);
  for (int k = 0; k < 9; ++k) {
    int a = pick(k), c = (a + 1) % 3;
    BODY
    cudaDeviceSynchronize();
  }
  printf("%f", sum);
}
"""
APART, SAME = "(pick(k) + 1) % 3", "pick(k)"


def _launch(folder: Path, body: str, **options: Any) -> LaunchReport:
    text = HEAD.replace("BODY", body)
    report = analyze((parse(folder, text),), AnalysisOptions(**options), LateReplayer(inf))
    return next(x for kernel in report.kernels for x in kernel.launches if x.launch_span is not None)


def _is_shown(found: LaunchReport) -> bool:
    """Whether a launch is safe, all of its pairs discharged, as the program's only run shows."""
    safe = (found.outcome, found.findings, found.open_pairs) == (Outcome.SAFE, (), ())
    assert found.pairs > 0
    assert not safe or found.discharged == found.pairs
    return safe and ONLY_RUN in [a.text for a in found.assumptions]


def _line(label: str) -> int:
    mark = {"body": "BODY"}.get(label, f"// {label}")
    (found,) = (number for number, line in enumerate(HEAD.splitlines(), 1) if mark in line)
    return found


SHOWN = [
    (
        "put<<<4, 256, 0, s[a]>>>(m[a], N, k); sum += m[AT][3];",
        "puts",
        "body",
    ),
    (
        'put<<<4, 256, 0, s[a]>>>(m[a], N, k); printf("%f", m[AT][k]);',
        "puts",
        "body",
    ),
    (
        "put<<<4, 256, 0, s[a]>>>(m[a], N, k); for (int i = 0; i < N; ++i) sum += m[AT][i];",
        "puts",
        "body",
    ),
    (
        "put<<<4, 256, 0, s[a]>>>(m[a], N, k); float t[8]; std::memcpy(t, m[AT], 32); sum += t[1];",
        "puts",
        "body",
    ),
    (
        "put<<<4, 256, 0, s[a]>>>(m[a], N, k); struct Four { float x[4]; }; Four q = "
        "*reinterpret_cast<Four *>(m[AT]); sum += q.x[0];",
        "puts",
        "body",
    ),
    (
        "put<<<4, 256, 0, s[a]>>>(b[a], N, k); put<<<4, 256, 0, s[c]>>>(b[AT], N, k + 1.f);",
        "puts",
        "puts",
    ),
    (
        "put<<<4, 256, 0, s[a]>>>(b[a], N, k); cudaMemcpyAsync(h[a], b[AT], N * 4, cudaMemcpyDeviceToHost, s[c]);",
        "puts",
        "body",
    ),
    (
        "put<<<4, 256, 0, s[a]>>>(b[a], N, k); cudaMemsetAsync(b[AT], 0, N * 4, s[c]);",
        "puts",
        "body",
    ),
    (
        "jobs[k].p = m[AT]; put<<<4, 256, 0, s[a]>>>(m[a], N, k); cudaLaunchHostFunc(s[c], change, &jobs[k]);",
        "puts",
        "changes",
    ),
    (
        "std::map<int, float *> of; of[a] = b[a]; of.emplace(7, b[AT]); put<<<4, 256, 0, s[a]>>>(of[a], "
        "N, k); put<<<4, 256, 0, s[c]>>>(of.at(7), N, k + 1.f);",
        "puts",
        "puts",
    ),
    (
        "std::vector<std::unique_ptr<Job>> v; v.push_back(std::make_unique<Job>()); v[0]->p = b[AT]; "
        "put<<<4, 256, 0, s[a]>>>(b[a], N, k); put<<<4, 256, 0, s[c]>>>(v[0]->p, N, k + 1.f);",
        "puts",
        "puts",
    ),
]


@pytest.mark.parametrize(("body", "one", "other"), SHOWN)
def test_the_only_run_shows_that_what_nothing_orders_is_apart(tmp_path: Path, body: str, one: str, other: str) -> None:
    assert _is_shown(_launch(tmp_path, body.replace("AT", APART)))


@pytest.mark.parametrize(("body", "one", "other"), SHOWN)
def test_what_is_not_apart_races(tmp_path: Path, body: str, one: str, other: str) -> None:
    found = _launch(tmp_path, body.replace("AT", SAME))
    races = {(f.first.span.line, f.second.span.line, f.confidence) for f in found.findings}
    assert (found.outcome, races) == (Outcome.RACE, {(_line(one), _line(other), Confidence.CONFIRMED)})


REACHING = [
    "drawn<<<4, 256, 0, s[a]>>>((int *)b[a]); put<<<4, 256, 0, s[c]>>>(b[AT], N, k + 1.f);",
    "by_float<<<4, 256, 0, s[a]>>>(b[a]); put<<<4, 256, 0, s[c]>>>(b[AT], N, k + 1.f);",
    "from_float<<<4, 256, 0, s[a]>>>(b[AT], h[0]); put<<<4, 256, 0, s[c]>>>(b[a], N, k + 1.f);",
    "by_member<<<4, 256, 0, s[a]>>>(Job{b[a]}); put<<<4, 256, 0, s[c]>>>(b[AT], N, k + 1.f);",
    "by_float<<<4, 256, 0, s[a]>>>(b[a]); cudaMemcpyAsync(h[a], b[AT], N * 4, cudaMemcpyDeviceToHost, s[c]);",
    "by_float<<<4, 256, 0, s[a]>>>(m[a]); sum += m[AT][3];",
]


@pytest.mark.parametrize("body", REACHING)
def test_what_a_kernel_may_use_at_all_is_what_it_gets(tmp_path: Path, body: str) -> None:
    assert _is_shown(_launch(tmp_path, body.replace("AT", APART)))
    assert not _is_shown(_launch(tmp_path, body.replace("AT", SAME)))


ELSEWHERE = """
__device__ float *variable[3];
__global__ void by_pointer(float **all, int a) { if (all[a][threadIdx.x] * 3.f > 1e9f) all[a][threadIdx.x] = 1.f; }
__global__ void by_variable(int a) { if (variable[a][threadIdx.x] * 3.f > 1e9f) variable[a][threadIdx.x] = 1.f; }
__global__ void by_number(size_t a) { if (((float *)a)[threadIdx.x] * 3.f > 1e9f) ((float *)a)[threadIdx.x] = 1.f; }
__global__ void choose(float **all, float *x, float *y, const float *by) { all[0] = by[0] * 3.f > 1e9f ? x : y; }
__global__ void from_pointer(float *x, float **all) {
  float y = all[0][threadIdx.x];
  if (y * 3.f > 1e9f) x[threadIdx.x] = y;
}
int main("""


@pytest.mark.parametrize(
    ("before", "launch"),
    [
        (
            "float **all; cudaMalloc(&all, sizeof b); cudaMemcpy(all, b, sizeof b, cudaMemcpyHostToDevice);",
            "by_pointer<<<1, 32, 0, s[a]>>>(all, AT);",
        ),
        ("cudaMemcpyToSymbol(variable, b, sizeof b);", "by_variable<<<1, 32, 0, s[a]>>>(AT);"),
        ("", "by_number<<<1, 32, 0, s[a]>>>((size_t)b[AT]);"),
        (
            "float **all; cudaMalloc(&all, 8); choose<<<1, 1>>>(all, b[0], b[1], h[0]); cudaDeviceSynchronize();",
            "from_pointer<<<1, 32, 0, s[a]>>>(m[AT], all);",
        ),
    ],
)
@pytest.mark.parametrize("at", [APART, SAME])
def test_a_kernel_that_comes_to_memory_by_other_ways(tmp_path: Path, before: str, launch: str, at: str) -> None:
    body = f"{launch} put<<<4, 256, 0, s[c]>>>(b[a], N, k + 1.f);".replace("AT", at)
    text = (
        HEAD.replace("BODY", body)
        .replace("int main(", ELSEWHERE)
        .replace("  for (int k = 0;", f"{before} for (int k = 0;")
    )
    report = analyze((parse(tmp_path, text),), AnalysisOptions(), LateReplayer(inf))
    (put,) = (
        x for kernel in report.kernels for x in kernel.launches if x.kernel == "put" and x.launch_span is not None
    )
    assert not _is_shown(put)


def test_only_what_both_read_may_be_the_same(tmp_path: Path) -> None:
    body = "from_float<<<4, 256, 0, s[a]>>>(b[a], m[0]); from_float<<<4, 256, 0, s[c]>>>(b[AT], m[0]);"
    assert _is_shown(_launch(tmp_path, body.replace("AT", APART)))
    assert not _is_shown(_launch(tmp_path, body.replace("m[0]); from", "b[c]); from").replace("AT", APART)))


@pytest.mark.parametrize(
    "body",
    [
        (
            "int z = argc > 9 ? a : AT; put<<<4, 256, 0, s[a]>>>(b[a], N, k); put<<<4, 256, 0, s[c]>>>(b[z], "
            "N, k + 1.f);"
        ),
        (
            'int z = getenv("A") ? a : AT; put<<<4, 256, 0, s[a]>>>(b[a], N, k); put<<<4, 256, 0, '
            "s[c]>>>(b[z], N, k + 1.f);"
        ),
        (
            "int z = rand() % 7 ? AT : a; put<<<4, 256, 0, s[a]>>>(b[a], N, k); put<<<4, 256, 0, "
            "s[c]>>>(b[z], N, k + 1.f);"
        ),
        (
            "int v; cudaDeviceGetAttribute(&v, cudaDevAttrMultiProcessorCount, 0); put<<<4, 256, 0, "
            "s[a]>>>(b[a], N, k); put<<<4, 256, 0, s[c]>>>(b[v == 8 ? AT : a], N, k + 1.f);"
        ),
        (
            "put<<<4, 256, 0, s[a]>>>(b[a], N, k); if (cudaStreamQuery(s[a]) == cudaSuccess) put<<<4, 256, "
            "0, s[c]>>>(b[AT], N, k + 1.f); else put<<<4, 256, 0, s[c]>>>(b[AT], N, k + 1.f);"
        ),
        (
            "put<<<4, 256, 0, s[a]>>>(m[a], N, k); sum += std::accumulate(m[a], m[a] + N, 0.f); put<<<4, "
            "256, 0, s[c]>>>(m[AT], N, 1.f);"
        ),
        (
            "put<<<4, 256, 0, s[a]>>>(b[a], N, k); cudaMemcpy2DAsync(h[a], 128, b[AT], 128, 128, 8, "
            "cudaMemcpyDeviceToHost, s[c]);"
        ),
        (
            "auto l = std::make_unique<Lent>(&jobs[k], b[AT]); put<<<4, 256, 0, s[a]>>>(b[a], N, k); "
            "put<<<4, 256, 0, s[c]>>>(l->p, N, k + 1.f);"
        ),
        (
            "cudaLaunchAttribute w[1]; w[0].id = cudaLaunchAttributeProgrammaticStreamSerialization; "
            "w[0].val.programmaticStreamSerializationAllowed = 1; cudaLaunchConfig_t g = {}; g.gridDim = "
            "dim3(4); g.blockDim = dim3(256); g.stream = s[c]; g.attrs = w; g.numAttrs = 1; put<<<4, 256, 0, "
            "s[a]>>>(b[a], N, k); cudaLaunchKernelEx(&g, put, b[AT], N, 2.f);"
        ),
        "jobs[k].p = m[AT]; put<<<4, 256, 0, s[a]>>>(m[a], N, k); cudaLaunchHostFunc(s[c], fill, &jobs[k]);",
    ],
)
def test_a_run_that_does_not_stand_for_all_shows_nothing(tmp_path: Path, body: str) -> None:
    found = _launch(tmp_path, body.replace("AT", APART))
    assert (found.outcome, found.findings) == (Outcome.UNKNOWN, ())
    assert all("at the same time" in o.reason or "while this kernel may run" in o.reason for o in found.open_pairs)


def test_memory_that_a_launch_gets_once_only(tmp_path: Path) -> None:
    body = "shift<<<4, 256, 0, s[a]>>>(b[a], b[AT]);"
    assert _is_shown(_launch(tmp_path, body.replace("AT", APART)))
    found = _launch(tmp_path, body.replace("AT", SAME))
    assert {(f.first.span.line, f.second.span.line) for f in found.findings} == {(_line("shifts"), _line("shifts"))}


def test_accesses_that_floats_decide_are_not_those_of_one_run(tmp_path: Path) -> None:
    body = "for (float *all : b) cudaMemset(all, 0, N * 4); cudaDeviceSynchronize(); "
    body += "KERNEL<<<4, 256, 0, s[a]>>>(b[a], b[AT]);"
    found = _launch(tmp_path, body.replace("AT", APART).replace("KERNEL", "shift_some"))
    assert (found.outcome, found.findings) == (Outcome.UNKNOWN, ())
    assert _is_shown(_launch(tmp_path, body.replace("AT", APART).replace("KERNEL", "shift")))


def test_options_make_other_launches_than_the_run(tmp_path: Path) -> None:
    body = SHOWN[5][0].replace("AT", APART)
    assert _is_shown(_launch(tmp_path, body))
    assert _launch(tmp_path, body, block_dim=(256, 1, 1)).outcome is Outcome.UNKNOWN


def test_two_writes_of_the_same_value_stay_a_race_with_strict(tmp_path: Path) -> None:
    body = "agree<<<4, 256, 0, s[a]>>>(b[a]); agree<<<4, 256, 0, s[c]>>>(b[AT]);".replace("AT", APART)
    assert _launch(tmp_path, body).outcome is Outcome.SAFE
    found = _launch(tmp_path, body, strict=True)
    assert (found.outcome, [f.same_value for f in found.findings]) == (Outcome.RACE, [True])


PERMUTED = "if (k == 0) { permute<<<1, 32>>>(at, BY); cudaDeviceSynchronize(); } scatter<<<1, 32, 0, s[a]>>>(b[a], at);"


def test_what_kernels_have_left_in_memory_says_which_elements_are_used(tmp_path: Path) -> None:
    text = HEAD.replace("BODY", PERMUTED.replace("BY", "5"))
    (scatter,) = (
        x
        for kernel in analyze((parse(tmp_path, text),), AnalysisOptions(), LateReplayer(inf)).kernels
        for x in kernel.launches
        if x.kernel == "scatter"
    )
    assert _is_shown(scatter)
    text = HEAD.replace("BODY", PERMUTED.replace("BY", "6"))
    (tmp_path / "twice").mkdir()
    report = analyze((parse(tmp_path / "twice", text),), AnalysisOptions(), LateReplayer(inf))
    (scatter,) = (x for kernel in report.kernels for x in kernel.launches if x.kernel == "scatter")
    races = {(f.first.span.line, f.second.span.line, f.confidence) for f in scatter.findings}
    assert (scatter.outcome, races) == (Outcome.RACE, {(_line("scatters"), _line("scatters"), Confidence.CONFIRMED)})
