"""Files that lack macros of their build: checked for any value of the macro, and the verdict names it."""

from pathlib import Path

import pytest

from hgrd.engine.analysis.program import analyze
from hgrd.findings.model import Outcome, Report
from hgrd.findings.options import AnalysisOptions
from hgrd.source.clang.command import Run
from hgrd.source.options import SourceOptions
from hgrd.source.parse import parse_file
from tests.checking import cases, expected, observed

KERNELS = """\
__constant__ float4 weights[WEIGHTS];
__device__ int table[ROWS + 1][16], other[2 * ROWS];

// safe: 1 of 1 pairs
__global__ void weighted(float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 sum = make_float4(0, 0, 0, 0) + weights[i % 5];  // built-in vectors have no operators of their own
  out[i] = sum.x;
}

// safe: 3 of 3 pairs
__global__ void rows(int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < ROWS) table[i][n] = other[i + 1];
  else if (i < 2 * ROWS) table[i][n] = 0;
}

// race: write here, write here; shared; warp block
__global__ void beyond_any_length() {
  __shared__ int s[LENGTH];
  s[5000 + threadIdx.x % 2] = threadIdx.x;  // here
}

// race: write here, write here; shared; warp block (data-dependent)
__global__ void value_of_the_constant() {
  __shared__ int s[LENGTH];
  if (LENGTH > 5000) s[threadIdx.x % 2] = threadIdx.x;  // here
}

// safe: 2 of 2 pairs
__global__ void two_of_one_length(int *out) {
  __shared__ int s[LENGTH], t[LENGTH];
  s[threadIdx.x] = 1;
  t[blockDim.x - threadIdx.x] = 2;
}
"""

SWITCHED = """\
#ifndef HEADER
#define HEADER
#if defined(WITH_SUMS) && defined WITH_TABLES
__device__ int sums[64];
#endif
#endif
__global__ void sum(int n) { if (blockIdx.x == 0) sums[threadIdx.x] = n + blockIdx.x; }
"""


def report_of(folder: Path, text: str, **options: object) -> Report:
    file = folder / "program.cu"
    file.write_text(text)
    return analyze((parse_file(str(file), SourceOptions(**options)),), AnalysisOptions())


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    report = report_of(tmp_path_factory.mktemp("presumptions"), KERNELS)
    return observed(report, KERNELS)


@pytest.mark.parametrize("kernel", cases(KERNELS))
def test_constants_of_unknown_value(verdicts: dict[str, list[str]], kernel: str):
    assert verdicts[kernel] == expected(KERNELS)[kernel]


def verdict(report: Report) -> tuple[Outcome, list[str]]:
    (kernel,) = report.kernels
    uses = [use for launch in kernel.launches for use in launch.assumptions if "nothing defines" in use.text]
    return kernel.outcome, [f"{use.span.line}:{use.span.column}: {use.text}" for use in uses]


SHARED = "__global__ void k(int *a) {\n  __shared__ int s[LENGTH];\n  s[threadIdx.x] = 0;\n}\n"


def test_the_verdict_says_what_is_missing(tmp_path: Path):
    said = "2:20: nothing defines LENGTH: taken for an unknown constant of type int"
    report = report_of(tmp_path, SHARED)
    assert verdict(report) == (Outcome.SAFE, [said])
    assert f"assumed of kernel 'k': {said[6:]}" in [m.text for m in report.messages]
    assert verdict(report_of(tmp_path, SHARED, defines=("LENGTH=64",))) == (Outcome.SAFE, [])


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(("s[LENGTH]", "s[4][LENGTH]"), id="distance of rows"),
        pytest.param(("= 0;", "= sizeof(s);"), id="size of the array"),
        pytest.param(("= 0;", "= 0; for (int x : s) a[x] = 0;"), id="array as a whole"),
        pytest.param(("= 0;", "= 0; int t[] = {[LENGTH - 1] = 1}; a[t[0]] = 0;"), id="length of another array"),
        pytest.param(("= 0;", "= 0; LENGTH(a);"), id="function"),
        pytest.param(("= 0;", "= 0; ATTRIBUTE int INDEX = threadIdx.x; a[INDEX] = 0;"), id="dropped declaration"),
        pytest.param(("= 0;", "= (LENGTH *)a - (LENGTH *)a;"), id="type"),
        pytest.param(("s[threadIdx.x]", "s[(INDEX)-threadIdx.x]"), id="cast or difference"),
        pytest.param(("__global__", "#if LENGTH > 3\n#define F\n#endif\n__global__"), id="known to the preprocessor"),
        pytest.param(
            ("__global__", "#ifdef F\n#define LENGTH 3\n#endif\n#define F\n__global__"), id="defined too late"
        ),
    ],
)
def test_what_could_depend_on_the_value_is_unknown(tmp_path: Path, change: tuple[str, str]):
    text = SHARED.replace(*change)
    assert text != SHARED
    assert verdict(report_of(tmp_path, text)) == (Outcome.UNKNOWN, [])


GUARDED = """\
__global__ void k(int *a) {
  if (threadIdx.x + blockIdx.x < COUNT) a[threadIdx.x + blockIdx.x * 64] = threadIdx.x;
}
"""


@pytest.mark.parametrize(
    ("before", "name", "outcome"),
    [
        ("", "COUNT", Outcome.RACE),
        ("", "count", Outcome.UNKNOWN),  # no macro's spelling: any declaration may be missing
        ("#include <nowhere.h>\n", "COUNT", Outcome.UNKNOWN),  # it could be `threadIdx.x ? 1 : 0`
    ],
)
def test_values_are_those_of_macros_of_the_build(tmp_path: Path, before: str, name: str, outcome: Outcome):
    assert verdict(report_of(tmp_path, before + GUARDED.replace("COUNT", name)))[0] is outcome


def test_lengths_are_constants_whatever_is_missing(tmp_path: Path):
    report = report_of(tmp_path, "#include <nowhere.h>\n" + SHARED.replace("LENGTH", "width"))
    said = "3:20: nothing defines width: an unknown constant"
    assert verdict(report) == (Outcome.SAFE, [said])


def test_a_declaration_that_a_macro_switches_on(tmp_path: Path):
    said = "4:16: nothing defines {}: taken for defined, since sums is declared only where it is"
    assert verdict(report_of(tmp_path, SWITCHED)) == (
        Outcome.SAFE,
        [said.format("WITH_SUMS"), said.format("WITH_TABLES")],
    )
    racy = SWITCHED.replace("blockIdx.x == 0", "n")
    assert verdict(report_of(tmp_path, racy))[0] is Outcome.RACE


@pytest.mark.parametrize(
    ("change", "options"),
    [
        pytest.param(
            ("#endif\n__glo", "#ifdef MORE\n__device__ int sums[9];\n#endif\n#endif\n__glo"), {}, id="another"
        ),
        pytest.param(("= n", "= WITH_SUMS"), {}, id="a number"),
        pytest.param(("defined WITH_TABLES", "!defined WITH_TABLES"), {}, id="negated"),
        pytest.param(("WITH_SUMS", "_WITH_SUMS"), {}, id="the compiler's"),
        pytest.param(("", ""), {"undefines": ("WITH_SUMS",)}, id="said not to be defined"),
        pytest.param(("int sums", "Int sums"), {}, id="does not compile then"),
    ],
)
def test_what_no_macro_alone_switches_on_is_unknown(
    tmp_path: Path, change: tuple[str, str], options: dict[str, object]
):
    text = SWITCHED.replace(*change)
    assert verdict(report_of(tmp_path, text, **options)) == (Outcome.UNKNOWN, [])


def test_a_file_that_compiles_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    started: list[Run] = []
    command = Run.command
    monkeypatch.setattr(Run, "command", lambda run: (started.append(run), command(run))[1])
    report_of(tmp_path, SHARED, defines=("LENGTH=64",))
    assert len(started) == 1
    report_of(tmp_path, SHARED)
    assert len(started) == 3
