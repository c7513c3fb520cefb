"""Threads of OpenMP that put work on streams of their own: what they share is unknown, what is joined is in order."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check

PROGRAM = """
#include <cuda_runtime.h>
#include <omp.h>
__global__ void put(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] += i; }
__global__ void part(float *x, int first, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[first + i] += i;
}
static void run(float *x) {
  cudaStream_t s; cudaStreamCreate(&s); put<<<4, 256, 0, s>>>(x, 1024); cudaStreamSynchronize(s);
}
int main(int argc, char **argv) {
  float *x, *y; cudaMalloc(&x, 4096), cudaMalloc(&y, 4096);
  cudaStream_t s[4], a; for (auto &one : s) cudaStreamCreate(&one); cudaStreamCreate(&a);
  BODY
  cudaDeviceSynchronize();
}
"""
TWINS = {  # a program, what leaves it without order, what orders it or makes the elements differ
    "a loop": (
        "#pragma omp {}\n for (int i = 0; i < 4; i++) {{\n"
        "put<<<4, 256, 0, s[i]>>>(x, 1024); cudaStreamSynchronize(s[i]); }}",
        "parallel for schedule(static, 1)",
        "parallel for num_threads(1)",
    ),
    "a loop of many": (
        "#pragma omp parallel for\n for (int i = 0; i < argc; i++) {}",
        "run(x);",
        "put<<<4, 256>>>(x, 1024);",
    ),
    "default streams of threads": (
        "#pragma omp parallel for\n for (int i = 0; i < 4; i++)\n"
        "part<<<1, 64, 0, cudaStreamPerThread>>>(x, {} * 64, 64);",
        "0",
        "i",
    ),
    "a team": ("#pragma omp parallel\n {}", "run(x);", "{ float *z; cudaMalloc(&z, 4096); run(z); }"),
    "numbers of threads": (
        "#pragma omp parallel\n {{ cudaStream_t t; cudaStreamCreate(&t);"
        "part<<<1, 64, 0, t>>>(x, {} * 64, 64); cudaStreamSynchronize(t); }}",
        "0",
        "omp_get_thread_num()",
    ),
    "sections": (
        "#pragma omp parallel sections\n {{\n #pragma omp section\n run(x);\n #pragma omp section\n run({});\n }}",
        "x",
        "y",
    ),
    "sections of a team": (
        "#pragma omp parallel\n {{\n #pragma omp sections\n {{\n #pragma omp section\n run(x);\n"
        "#pragma omp section\n run({});\n }}\n }}",
        "x",
        "y",
    ),
    "one thread of a team": ("#pragma omp parallel\n {{\n #pragma omp {}\n run(x);\n }}", "unknown", "single"),
    "tasks": (
        "#pragma omp parallel\n #pragma omp single\n for (int i = 0; i < 4; i++) {{\n"
        "#pragma omp task\n run(x);\n {}\n ; }}",
        "",
        "#pragma omp taskwait",
    ),
    "a barrier": (
        "#pragma omp parallel\n {{\n #pragma omp single nowait\n run(x);\n {}\n #pragma omp single\n run(x);\n }}",
        "",
        "#pragma omp barrier",
    ),
    "a barrier at the end": (
        "#pragma omp parallel\n {{ cudaStream_t t; cudaStreamCreate(&t);\n #pragma omp for {}\n"
        "for (int i = 0; i < 4; i++) {{ part<<<1, 64, 0, t>>>(x, i * 64, 64); cudaStreamSynchronize(t); }}\n"
        "#pragma omp single\n {{ put<<<4, 256, 0, t>>>(x, 1024); cudaStreamSynchronize(t); }}\n }}",
        "nowait",
        "",
    ),
    "waits after the barrier": (
        "#pragma omp parallel\n {{ cudaStream_t t; cudaStreamCreate(&t);\n #pragma omp for\n"
        "for (int i = 0; i < 4; i++) part<<<1, 64, 0, t>>>(x, i * 64, 64);\n cudaStreamSynchronize(t);\n"
        "{}\n #pragma omp single\n {{ put<<<4, 256, 0, t>>>(x, 1024); cudaStreamSynchronize(t); }}\n }}",
        "",
        "#pragma omp barrier",
    ),
    "behind the team": (
        "#pragma omp parallel for\n for (int i = 0; i < 4; i++) {{ part<<<1, 64, 0, s[i]>>>(x, i * 64, 64); {} }}"
        "put<<<4, 256, 0, a>>>(x, 1024);",
        "",
        "cudaStreamSynchronize(s[i]);",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TWINS)
def test_twins(tmp_path: Path, name: str) -> None:
    body, without, ordered = TWINS[name]
    found = [check(tmp_path, PROGRAM.replace("BODY", body.format(part))) for part in (without, ordered)]
    racing, clear = ([n for k in report.kernels for n in k.launches if n.launch_span is not None] for report in found)
    reasons = [pair.reason for n in racing for pair in n.open_pairs]
    assert any("may run at the same time and writes 'x', too" in reason for reason in reasons)
    assert [(n.outcome, [pair.reason for pair in n.open_pairs]) for n in clear] == [(Outcome.SAFE, [])] * len(clear)


def test_what_excludes_may_order(tmp_path: Path) -> None:
    """The bodies of critical sections are not at once, but what they put on streams may be: that is an assumption."""
    body = "#pragma omp parallel\n {\n #pragma omp critical\n run(x);\n }"
    launches = [n for k in check(tmp_path, PROGRAM.replace("BODY", body)).kernels for n in k.launches]
    found = [f.text for n in launches for f in n.assumptions if "may run at the same time" in f.text]
    assert found == ["touches other elements of 'x' than another run of this launch, which may run at the same time"]


def test_streams_that_each_iteration_makes(tmp_path: Path) -> None:
    """No directive is needed: each iteration makes a stream of its own; with one stream there is order."""
    both = "for (int i = 0; i < 4; i++) {{ {} put<<<4, 256, 0, t>>>(x, 1024); }}"
    for make, outcome in (
        ("cudaStream_t t; cudaStreamCreate(&t);", Outcome.UNKNOWN),
        ("cudaStream_t t = a;", Outcome.SAFE),
    ):
        launches = [n for k in check(tmp_path, PROGRAM.replace("BODY", both.format(make))).kernels for n in k.launches]
        assert outcome in {n.outcome for n in launches if n.launch_span is not None}
