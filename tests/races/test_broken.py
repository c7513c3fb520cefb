"""What the compiler drops since it does not compile: a kernel that runs it is not understood."""

from pathlib import Path

import pytest

from hgrd.races.analyze import analyze
from hgrd.races.findings import Outcome, Report
from hgrd.races.options import AnalysisOptions
from hgrd.source.options import SourceOptions
from hgrd.source.parse import parse_file

TEXT = """\
struct Sink { int *to; __device__ virtual void put(int x) { to[threadIdx.x + 64] = x; } };
struct Other : Sink { __device__ void put(int x) override { /**/ to[threadIdx.x] = x; } };
__device__ void called(int *a) {
  a[0] = threadIdx.x;
}
__device__ void through(int *a) { called(a); }
__global__ void one(int *a) {
  struct Local { int x; __device__ int get() const { return x; } } local{3};
  auto closure = [=](int i) { return i + local.get(); };
  a[blockIdx.x * blockDim.x + threadIdx.x] = 1;
  /* */
}
template <class T> __global__ void pattern(T *a) {
  struct Local { int x; __device__ int get() const { return x; } } local{3};
  a[blockIdx.x * blockDim.x + threadIdx.x] = 1;
  /* . */
}
template __global__ void pattern(int *a);
__global__ void two(int *a) {
  if (blockIdx.x == 0 && threadIdx.x == 0) through(a);
}
__global__ void three(Sink *s) {
  if (blockIdx.x == 0) s->put(3);
}
"""
DROPPED = "what is_this a[0] = threadIdx.x;"  # no syntax tree is left of it


def report_of(folder: Path, text: str) -> Report:
    (folder / "program.cu").write_text(text)
    return analyze((parse_file(str(folder / "program.cu"), SourceOptions()),), AnalysisOptions())


def verdicts(report: Report) -> dict[str, Outcome]:
    return {kernel.kernel: kernel.outcome for kernel in report.kernels}


ALL_SAFE = {"one": Outcome.SAFE, "two": Outcome.SAFE, "three": Outcome.SAFE, "pattern": Outcome.SAFE}


def test_all_is_safe_that_compiles(tmp_path: Path):
    assert verdicts(report_of(tmp_path, TEXT)) == ALL_SAFE


@pytest.mark.parametrize(
    ("broken", "kernel", "line"),
    [
        pytest.param(("/* */", DROPPED), "one", 11, id="behind a closure in the kernel"),
        pytest.param(("/* . */", DROPPED), "pattern", 16, id="behind a class in a template"),
        pytest.param(("  a[0] =", f"  {DROPPED} a[0] ="), "two", 4, id="in a function called by a function"),
        pytest.param(("/**/", DROPPED), "three", 2, id="in an overrider"),
    ],
)
def test_what_is_dropped_is_not_understood(tmp_path: Path, broken: tuple[str, str], kernel: str, line: int):
    text = TEXT.replace(*broken)
    assert text != TEXT
    report = report_of(tmp_path, text)
    assert verdicts(report) == ALL_SAFE | {kernel: Outcome.UNKNOWN}
    (found,) = (k for k in report.kernels if k.kernel == kernel)
    open_ = {(pair.span.line, pair.reason) for launch in found.launches for pair in launch.open_pairs if pair.span}
    assert (line, "does not compile: unknown type name 'what'") in open_


HOST = """\
__global__ void k(int *a, int n) { a[(blockIdx.x * blockDim.x + threadIdx.x) * n] = threadIdx.x; }
__global__ void other(int *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
int many() { return 7; }
int main() {
  int n = 1;
  /* */
  int *a;
  cudaMalloc(&a, 4 * 128 * many());
  k<<<2, 64>>>(a, n);
}
"""


def assumed(report: Report, kernel: str) -> list[tuple[int, str]]:
    uses = [use for k in report.kernels if k.kernel == kernel for launch in k.launches for use in launch.assumptions]
    return [(use.span.line, use.text) for use in uses if "compile" in use.text]


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ("/* */", "/* */", []),
        ("/* */", "what is_this n = 0;", [(6, "main: unknown type name 'what'")]),
        ("{ return", "{ what is_this n = 0; return", [(3, "many: unknown type name 'what'")]),
        ("int many", "int unused() { what is_this n = 0; return 1; }\nint many", []),
    ],
)
def test_what_is_dropped_on_the_host_is_assumed_not_to_matter(
    tmp_path: Path, before: str, after: str, found: list[tuple[int, str]]
):
    report = report_of(tmp_path, HOST.replace(before, after))
    assert verdicts(report) == {"k": Outcome.SAFE, "other": Outcome.SAFE}
    texts = [(line, text.replace("what does not compile in ", "")) for line, text in assumed(report, "k")]
    assert texts == [(line, text.replace(":", " has no bearing on the launch:", 1)) for line, text in found]
    assert assumed(report, "other") == []  # it is not launched
