"""What the compiler drops since it does not compile: a kernel that runs it is not understood."""

from pathlib import Path

import pytest

from hgrd.engine.analysis.program import analyze
from hgrd.findings.model import Outcome, Report
from hgrd.findings.options import AnalysisOptions
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
#define STEP n = no_such_thing
int begin = 1;
__global__ void k(int *a, int n) { a[(blockIdx.x * blockDim.x + threadIdx.x) * n] = threadIdx.x; }
__global__ void other(int *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
struct Counter { int n = 1; void set() { /*method*/ } };
int many() { /*many*/ return 1; }
void helper(int *a, int n) { k<<<1, 64>>>(a, n); }
int one() { return 1; }
int main(int argc, char **argv) {
  int n = begin, m = 2;
  Counter counter;
  counter.set();
  /*first*/
  int *a;
  cudaMalloc(&a, 4 * 128);
  helper(a, 1);
  for (int i = 0; i < 7; i++) { m = 3; /*loop*/ }
  int &r = n; int *p = &n;
  if (argc > 1) { /*then*/ } else { /*else*/ }
  n *= many() * counter.n;
  k<<<2, 64>>>(a, n);
  /*last*/
  return 0;
}
"""


def assumed(report: Report, kernel: str) -> list[tuple[int, str]]:
    uses = [use for k in report.kernels if k.kernel == kernel for launch in k.launches for use in launch.assumptions]
    return list(dict.fromkeys((use.span.line, use.text) for use in uses if "compile" in use.text))


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ("/*first*/", "/*first*/", []),
        ("/*first*/", "what is_this m = 0;", [(13, "main", "unknown type name 'what'")]),
        ("/*then*/", "no_such_thing(a, m);", [(19, "main", "use of undeclared identifier 'no_such_thing'")]),
        ("/*last*/", "no_such_thing(a, n);", [(22, "main", "use of undeclared identifier 'no_such_thing'")]),
        ("/*last*/", "no_such_thing(one());", [(22, "main", "use of undeclared identifier 'no_such_thing'")]),
        ("int one() {", "int one() { what is_this;", []),
    ],
)
def test_what_is_dropped_on_the_host_is_assumed_to_change_what_it_mentions(
    tmp_path: Path, before: str, after: str, found: list[tuple[int, str, str]]
):
    report = report_of(tmp_path, HOST.replace(before, after))
    assert verdicts(report) == {"k": Outcome.SAFE, "other": Outcome.SAFE}
    text = "what does not compile in {} changes only what it mentions: {}"
    assert assumed(report, "k") == [(line, text.format(function, why)) for line, function, why in found]
    assert assumed(report, "other") == []  # it is not launched


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("/*first*/", "what is_this n = 0;", id="an assignment"),
        pytest.param("/*first*/", "n = no_such_thing;", id="the value assigned"),
        pytest.param("/*first*/", "no_such_thing(n);", id="an argument that may be a reference"),
        pytest.param("/*first*/", "STEP;", id="in a macro"),
        pytest.param("/*first*/", "begin = 3; no_such_thing(n);", id="behind another statement"),
        pytest.param("/*first*/", "if (no_such_thing(n)) m = 2;", id="in the test of an if"),
        pytest.param("/*first*/", "while (no_such_thing(n)) m = 2;", id="in the test of a loop"),
        pytest.param("/*then*/", "no_such_thing(n);", id="in an arm"),
        pytest.param("/*else*/", "no_such_thing(r);", id="through a reference"),
        pytest.param("/*then*/", "no_such_thing(p);", id="through a pointer"),
        pytest.param("/*method*/", "no_such_thing(5);", id="in a method"),
        pytest.param("/*many*/", "if (begin > 1) return no_such_thing;", id="a return"),
        pytest.param("int begin = 1;", "int begin = no_such_thing;", id="what a variable begins with"),
        pytest.param("/*last*/", "no_such_thing(helper, a);", id="a function that launches"),
        pytest.param("/*last*/", "no_such_thing(); k<<<2, 64>>>(a, no_such_thing);", id="a launch"),
        pytest.param("/*last*/", "{ k<<<2, 64>>>(a, n, 3); }", id="a launch in a block"),
    ],
)
def test_what_is_dropped_on_the_host_may_change_what_it_mentions(tmp_path: Path, before: str, after: str):
    text = HOST.replace(before, after)
    assert text != HOST
    assert verdicts(report_of(tmp_path, text)) == {"k": Outcome.RACE, "other": Outcome.SAFE}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("/*first*/", "for (what i = 0; i < 3; i++) n = i;", id="a whole loop"),
        pytest.param("/*first*/", "do m = 2; while (no_such_thing(n));", id="behind the body of a loop"),
        pytest.param("/*loop*/", "no_such_thing(n);", id="in a loop"),
    ],
)
def test_what_is_dropped_in_a_loop_leaves_a_number_that_is_lost(tmp_path: Path, before: str, after: str):
    text = HOST.replace(before, after)
    assert text != HOST
    assert verdicts(report_of(tmp_path, text)) == {"k": Outcome.UNKNOWN, "other": Outcome.SAFE}


LEFT = """\
__global__ void k(int *a, int n) { a[(blockIdx.x * blockDim.x + threadIdx.x) * n] = threadIdx.x; }
int main(int argc, char **argv) {
  int *a;
  cudaMalloc(&a, 4 * 128);
  int i = 0;
  for (; i < 1; i++) { /**/ }
  k<<<2, 64>>>(a, i);
}
"""


@pytest.mark.parametrize(
    ("dropped", "verdict"),
    [
        ("", Outcome.SAFE),
        ("if (argc > 1) no_such_thing();", Outcome.SAFE),
        ("if (no_such_thing(argc)) break;", Outcome.RACE),
        ("what x; break;", Outcome.RACE),
        ("no_such_thing { break; }", Outcome.RACE),
    ],
)
def test_a_loop_may_be_left_by_what_is_dropped(tmp_path: Path, dropped: str, verdict: Outcome):
    assert verdicts(report_of(tmp_path, LEFT.replace("/**/", dropped))) == {"k": verdict}
