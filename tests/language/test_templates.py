"""Kernel templates that nothing instantiates: judged by an instance of typical types, and the verdict says so."""

from pathlib import Path

import pytest

from hgrd.engine.analysis.program import analyze
from hgrd.findings.model import Outcome, Report
from hgrd.findings.options import AnalysisOptions
from hgrd.source.options import SourceOptions
from hgrd.source.parse import parse_file
from tests.checking import check

SAFE = """
namespace mine {
template <class T> __device__ T twice(T x) { return x + x; }
template <class T, class U = T, int N = 2> __global__ void k(T *a, U *b) {
  auto at = a + threadIdx.x * N;
  if (blockIdx.x == 0) *at = twice(b[threadIdx.x]);
}
}
"""


def verdict(report: Report) -> tuple[Outcome, list[str]]:
    kernel, *others = report.kernels
    assert others == []
    texts = [use.text for launch in kernel.launches for use in launch.assumptions]
    return kernel.outcome, [text for text in texts if "instantiates" in text]


def test_safe_for_a_typical_type(tmp_path: Path):
    assert verdict(check(tmp_path, SAFE)) == (Outcome.SAFE, ["T = int: nothing instantiates the template k"])


def test_a_race_of_a_typical_type(tmp_path: Path):
    report = check(tmp_path, SAFE.replace("threadIdx.x * N", "threadIdx.x / N"))
    assert verdict(report)[0] is Outcome.RACE
    assert [m.text for m in report.messages] == ["assumed of kernel 'k': T = int: nothing instantiates the template k"]


def test_a_template_for_floating_point(tmp_path: Path):
    text = SAFE.replace("  auto at", '  static_assert(T(1) / 2 != 0, "");\n  auto at')
    assert verdict(check(tmp_path, text)) == (Outcome.SAFE, ["T = float: nothing instantiates the template k"])


@pytest.mark.parametrize(
    "change",
    [
        ("threadIdx.x * N", "T::where() * N"),  # neither int nor float has that
        ("int N = 2", "int N"),  # no value is typical
    ],
)
def test_what_has_no_typical_instance_is_unknown(tmp_path: Path, change: tuple[str, str]):
    text = SAFE.replace(*change)
    assert text != SAFE
    report = check(tmp_path, text)
    assert verdict(report)[0] is Outcome.UNKNOWN


def test_an_instance_of_the_program_counts_alone(tmp_path: Path):
    called = SAFE + "void run(double *a) { mine::k<<<1, 32>>>(a, a + 100); }\n"
    assert verdict(check(tmp_path, called)) == (Outcome.SAFE, [])


def test_an_instance_in_another_file_counts_alone(tmp_path: Path):
    (tmp_path / "k.cuh").write_text(SAFE)
    (tmp_path / "a.cu").write_text('#include "k.cuh"\n')
    (tmp_path / "b.cu").write_text('#include "k.cuh"\nvoid run(int *a) { mine::k<<<1, 32>>>(a, a + 100); }\n')
    programs = tuple(parse_file(str(tmp_path / name), SourceOptions()) for name in ("a.cu", "b.cu"))
    assert [[text for _, text in p.presumed] for p in programs] == [["T = int"], []]
    report = analyze(programs, AnalysisOptions())
    assert verdict(report) == (Outcome.SAFE, [])
    assert [launch.configuration for launch in report.kernels[0].launches] == ["<<<1, 32>>>"]


def test_an_explicit_instantiation_is_an_instance(tmp_path: Path):
    text = SAFE + "template __global__ void mine::k<double>(double *, double *);\n"
    assert verdict(check(tmp_path, text)) == (Outcome.SAFE, [])


def test_an_explicit_instantiation_settles_values(tmp_path: Path):
    text = SAFE.replace("int N = 2", "int N") + "template __global__ void mine::k<int, int, 3>(int *, int *);\n"
    assert verdict(check(tmp_path, text)) == (Outcome.SAFE, [])


@pytest.mark.parametrize(("parameter", "argument"), [("int N", "32"), ("class T", "double")])
def test_an_instance_asked_for_before_the_body_counts_alone(tmp_path: Path, parameter: str, argument: str):
    stride = "N" if parameter == "int N" else "sizeof(T)"
    text = f"""
template <{parameter}> __global__ void k(int *a);
template __global__ void k<{argument}>(int *a);
template <{parameter}> __global__ void k(int *a) {{
  if (blockIdx.x == 0) a[threadIdx.x * {stride}] = threadIdx.x;
}}
"""
    assert verdict(check(tmp_path, text)) == (Outcome.SAFE, [])


def test_templates_that_nobody_asks_for_get_no_instance(tmp_path: Path):
    (tmp_path / "a.cu").write_text(SAFE)
    parsed = [parse_file(str(tmp_path / "a.cu"), SourceOptions(kernels=(name,))) for name in ("other", "k")]
    assert [[text for _, text in p.presumed] for p in parsed] == [[], ["T = int"]]


def test_two_arrays_of_a_length_that_is_a_parameter(tmp_path: Path):
    text = """
        template <int N> __global__ void k() {
          __shared__ float s[N], t[N];
          s[threadIdx.x] = 1;
          t[blockDim.x - threadIdx.x] = 2;
        }
    """
    assert verdict(check(tmp_path, text))[0] is Outcome.SAFE
    dynamic = text.replace("__shared__ float s[N], t[N];", "extern __shared__ float s[]; extern __shared__ float t[];")
    assert verdict(check(tmp_path, dynamic))[0] is Outcome.RACE


def test_a_launch_of_a_kernel_that_is_not_found(tmp_path: Path):
    """A template is declared in a namespace and defined outside, and one call of its launcher does not compile."""
    source = tmp_path / "k.cu"
    source.write_text("""
namespace n { template <class T, class F> __global__ void each(T *p, F f, int k); }
template <class T, class F> __global__ void n::each(T *p, F f, int k) { p[threadIdx.x * k] = f(1); }
template <class F> void go(int *p, F f, int k) { n::each<<<1, 32>>>(p, f, k); }
struct Same { __device__ int operator()(int x) { return x; } };
int main() { int *p; cudaMalloc(&p, 4096); go(p, Same(), 1); go(p, Same(), "text"); }
""")
    report = analyze((parse_file(str(source), SourceOptions()),), AnalysisOptions())
    assert [(k.kernel, k.outcome) for k in report.kernels] == [("each", Outcome.UNKNOWN)]
