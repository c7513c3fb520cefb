"""What the options of an analysis change, each shown against the default."""

from pathlib import Path

import pytest

from hgrd.engine.analysis.program import analyze
from hgrd.findings.model import Level, Outcome
from hgrd.findings.options import AnalysisOptions
from hgrd.program.program import Program
from tests.checking import observed, parse

SOURCE = """
__global__ void flag(int *a) {
  *a = 1;  // flag
}

__global__ void rows(int *a, int width) {
  int t = threadIdx.x;
  if (t < width) a[blockIdx.x * width + t] = 0;
}

__global__ void columns(int *a, int width, int stride) {
  int t = threadIdx.x;
  if (t < width) a[blockIdx.x * stride + t] = t;  // cell
}

__global__ void within_a_warp(int *a) {
  int t = threadIdx.x;
  int v = a[t + 1];  // next
  a[t] = v;  // own
}

__global__ void to_one_place(int *a) {
  a[threadIdx.x / 2] = threadIdx.x;  // half
}

__global__ void matrix(int *a) {
  a[threadIdx.y * 8 + threadIdx.x] = threadIdx.y;  // cell
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    return parse(tmp_path_factory.mktemp("options"), SOURCE)


def verdicts(program: Program, kernel: str, **options: object) -> list[str]:
    return observed(analyze((program,), AnalysisOptions(kernels=(kernel,), **options)), SOURCE)[kernel]


SAFE = ["safe: 1 of 1 pairs"]


def test_only_the_named_kernels(program: Program):
    report = analyze((program,), AnalysisOptions(kernels=("rows", "flag")))
    assert [(k.kernel, k.outcome) for k in report.kernels] == [("flag", Outcome.SAFE), ("rows", Outcome.SAFE)]


def test_strict(program: Program):
    note = "note: write flag, write flag; global; warp block grid"
    assert verdicts(program, "flag") == [note, "safe: 0 of 1 pairs"]
    assert verdicts(program, "flag", strict=True) == [note]
    report = analyze((program,), AnalysisOptions(kernels=("flag",), strict=True))
    assert report.kernels[0].outcome is Outcome.RACE


@pytest.mark.parametrize(
    ("block", "race"),
    [
        ((1, 1, 1), ""),
        ((8, 1, 1), ""),
        ((8, 8, 1), ""),
        ((9, 1, 1), ""),
        ((9, 2, 1), "warp"),
        ((8, None, 1), ""),
        ((None, 2, 1), "warp block"),
        ((4, 4, 2), "warp"),
    ],
)
def test_block_dim(program: Program, block: tuple[int | None, int | None, int | None], race: str):
    """The write of y in `matrix` overlaps for x >= 8 with y + 1; with z it is a write of one value."""
    found = verdicts(program, "matrix", block_dim=block, grid_dim=(1, 1, 1))
    if block == (4, 4, 2):
        assert found == ["note: write cell, write cell; global; warp", "safe: 0 of 1 pairs"]
    elif race:
        assert found == [f"race: write cell, write cell; global; {race}"]
    else:
        pairs = 0 if block == (1, 1, 1) else 1
        assert found == [f"safe: {pairs} of {pairs} pairs"]


def test_grid_dim(program: Program):
    assert verdicts(program, "columns") == ["race: write cell, write cell; global; grid (unless width <= stride)"]
    assert verdicts(program, "columns", grid_dim=(1, 1, 1)) == SAFE
    assert verdicts(program, "columns", grid_dim=(2, 1, 1)) == [
        "race: write cell, write cell; global; grid (unless width <= stride)"
    ]


def test_params(program: Program):
    race = ["race: write cell, write cell; global; grid"]
    assert verdicts(program, "columns", params=(("width", 16), ("stride", 16))) == SAFE
    assert verdicts(program, "columns", params=(("width", 17), ("stride", 16))) == race


def test_assume(program: Program):
    race = ["race: write cell, write cell; global; grid (unless width <= stride)"]
    assert verdicts(program, "columns", assume=("stride >= width",)) == SAFE
    assert verdicts(program, "columns", assume=("stride >= width - 1",)) == race
    assert verdicts(program, "columns", assume=("gridDim.x == 1",)) == SAFE
    assert verdicts(program, "columns", assume=("blockDim.x <= stride",)) == SAFE


def test_an_assumption_about_nothing_is_refused(program: Program):
    report = analyze((program,), AnalysisOptions(kernels=("columns",), assume=("pitch >= width",)))
    assert [m.text for m in report.messages] == [
        "--assume 'pitch >= width' is not used here: 'pitch' is neither a number, an operator nor a known value"
    ]
    assert report.kernels[0].outcome is Outcome.RACE


def test_used_options_are_named(program: Program):
    report = analyze((program,), AnalysisOptions(kernels=("columns",), assume=("stride >= width", "width > 0")))
    uses = [(use.kind, use.text) for use in report.kernels[0].launches[0].assumptions]
    assert ("option", "stride >= width") in uses


def test_levels(program: Program):
    race = "race: read next, write own; global; "
    assert verdicts(program, "within_a_warp") == [
        f"{race}warp block grid",
        "race: write own, write own; global; grid",
    ]
    assert verdicts(program, "within_a_warp", levels=(Level.INTRA_WARP,)) == [race + "warp"]
    assert verdicts(program, "within_a_warp", levels=(Level.INTRA_BLOCK,)) == [race + "block"]
    assert verdicts(program, "within_a_warp", levels=(Level.INTRA_WARP, Level.INTRA_BLOCK)) == [race + "warp block"]


def test_warp_lockstep(program: Program):
    """The threads of a warp read before they write; but two writes of one instruction still meet."""
    one_block = {"grid_dim": (1, 1, 1), "warp_lockstep": True}
    assert verdicts(program, "within_a_warp", **one_block) == ["race: read next, write own; global; block"]
    assert verdicts(program, "within_a_warp", **one_block, block_dim=(32, 1, 1)) == ["safe: 1 of 1 pairs"]
    assert verdicts(program, "to_one_place", **one_block) == ["race: write half, write half; global; warp"]


def test_no_time(program: Program):
    assert verdicts(program, "rows", time_limit=0.0) == ["open: the time limit was reached"]


def test_no_time_for_the_program(program: Program):
    """Kernels are gone through, and what costs time is left open: the host code, pairs, large kernels."""
    report = analyze((program,), AnalysisOptions(program_limit=0.0))
    assert [k.outcome for k in report.kernels] == [Outcome.UNKNOWN] * 6
    reasons = {pair.reason for k in report.kernels for launch in k.launches for pair in launch.open_pairs}
    assert reasons == {"the time limit was reached"}


FURTHER = """
__global__ void k(int *a, int n) { a[n] = threadIdx.x; }

int main() {
  int *a, v = 0;
  cudaMalloc(&a, 4096);
  k<<<1, 1>>>(a, 0);
  %s
  k<<<1, 64>>>(a, 0);
}
"""


def test_launches_beyond_a_limit_are_not_taken_for_safe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The first launch alone is safe; the second one races, where the host code is followed as far as that."""
    text = FURTHER % (STEPS,)
    assert analyze((parse(tmp_path, text),), AnalysisOptions()).kernels[0].outcome is Outcome.RACE
    monkeypatch.setattr("hgrd.host.run.STEPS", 300)
    (kernel,) = analyze((parse(tmp_path, text),), AnalysisOptions()).kernels
    assert [launch.outcome for launch in kernel.launches] == [Outcome.SAFE, Outcome.UNKNOWN]
    assert observed(analyze((parse(tmp_path, text),), AnalysisOptions()), text) == {
        "k": ["open: main is too large to be followed whole, and may launch it again"]
    }


DEEPER = """
__global__ void k(int *a, int s) {
  a[threadIdx.x * s] = threadIdx.x;
}

void levels(int *a, int s) {
  k<<<1, 64>>>(a, s);
  if (s > %s) levels(a, s - 1);
}

int main() {
  int *a;
  cudaMalloc(&a, 65536);
  levels(a, 200);
}
"""


def test_launches_of_deeper_calls_of_a_function_by_itself_are_not_taken_for_safe(tmp_path: Path):
    """The last of 201 launches races; some are followed from main, which are all where the second one is the last."""
    (kernel,) = analyze((parse(tmp_path, DEEPER % "0"),), AnalysisOptions()).kernels
    assert [launch.outcome for launch in kernel.launches] == [Outcome.SAFE] * 34 + [Outcome.RACE] * 2
    assert observed(analyze((parse(tmp_path, DEEPER % "0"),), AnalysisOptions()), DEEPER) == {
        "k": ["race: write 3, write 3; global; warp block (unless s != 0)"]
    }
    (kernel,) = analyze((parse(tmp_path, DEEPER % "199"),), AnalysisOptions()).kernels
    assert [launch.outcome for launch in kernel.launches] == [Outcome.SAFE, Outcome.SAFE]


MANY = """
__global__ void k(int *a, int s) {
  a[threadIdx.x * s] = threadIdx.x;
}

template <int S> void launch(int *a) {
  k<<<1, 64>>>(a, S);
  if constexpr (S > %s) launch<S - 1>(a);
}

int main() {
  int *a;
  cudaMalloc(&a, 65536);
  launch<70>(a);
}
"""


def test_where_a_line_makes_too_many_launches_the_kernel_is_not_safe(tmp_path: Path):
    text = MANY % "0"
    (kernel,) = analyze((parse(tmp_path, text),), AnalysisOptions()).kernels
    assert [launch.outcome for launch in kernel.launches] == [Outcome.SAFE] * 64 + [Outcome.UNKNOWN]
    assert observed(analyze((parse(tmp_path, text),), AnalysisOptions()), text) == {
        "k": ["open: there are more launches than are looked at, and may launch it again"]
    }
    (kernel,) = analyze((parse(tmp_path, MANY % "7"),), AnalysisOptions()).kernels
    assert [launch.outcome for launch in kernel.launches] == [Outcome.SAFE] * 64


def test_deeper_calls_of_a_function_are_looked_at_for_any_arguments(tmp_path: Path):
    text = DEEPER.replace("k<<<1, 64>>>(a, s)", "k<<<1, 64>>>(a, 0 < s && s < 9 ? s : 1)") % "0"
    (kernel,) = analyze((parse(tmp_path, text),), AnalysisOptions()).kernels
    assert [(launch.outcome, launch.pairs, launch.discharged) for launch in kernel.launches] == [
        (Outcome.SAFE, 1, 1)
    ] * 3


ELSEWHERE = """
#include <algorithm>
#include <functional>

__global__ void k(int *a, int s) {
  a[threadIdx.x * s] = threadIdx.x;
}

int *a;

void part(int s) {
  k<<<1, 64>>>(a, s);
}

void nothing(int s) {}

struct Part {
  void operator()(int s) const { part(s); }
};

void (*parts[])(int) = {part, nothing};
void (*chosen(int))(int);

int main(int argc, char **argv) {
  int sizes[] = {2, 0};
  cudaMalloc(&a, 16384);
  Part()(1);
  %s
}
"""


@pytest.mark.parametrize(
    ("call", "cut"),
    [
        ("chosen(argc)(0);", "part"),
        ("std::function<void(int)> again = part; again(0);", "part"),
        ("std::for_each(sizes, sizes + 2, part);", "part"),
        ("std::for_each(sizes, sizes + 2, Part());", "operator()"),
        ("nothing(0);", ""),
        ("std::for_each(sizes, sizes + 2, nothing);", ""),
    ],
)
def test_launches_of_functions_that_are_called_out_of_sight_are_not_taken_for_safe(tmp_path: Path, call: str, cut: str):
    """One of the calls that are not followed would race."""
    text = ELSEWHERE % call
    reason = f"open: {cut} may be called by code that is not followed, and may launch it again"
    assert observed(analyze((parse(tmp_path, text),), AnalysisOptions()), text) == {
        "k": [reason if cut else "safe: 1 of 1 pairs"]
    }


def test_any_function_of_an_array_is_called(tmp_path: Path) -> None:
    text = ELSEWHERE % "parts[argc - 1](0);"
    found = observed(analyze((parse(tmp_path, text),), AnalysisOptions()), text)
    assert found == {"k": ["race: write 6, write 6; global; warp block"]}


KERNELS = """
__global__ void safe(int *a) {
  a[threadIdx.x] = 1;
}

__global__ void racy(int *a) {
  a[threadIdx.x / 2] = threadIdx.x;
}

void (*kernels[])(int *) = {safe, racy};

int main(int argc, char **argv) {
  int *a;
  cudaMalloc(&a, 16384);
  racy<<<1, 1>>>(a);
  kernels[argc - 1]<<<1, 64>>>(a);
}
"""


def test_kernels_of_which_only_initial_values_take_the_address_are_launched_through_pointers(tmp_path: Path):
    safe, racy = analyze((parse(tmp_path, KERNELS),), AnalysisOptions()).kernels
    assert [launch.outcome for launch in safe.launches] == [Outcome.SAFE]
    assert [launch.outcome for launch in racy.launches] == [Outcome.SAFE, Outcome.RACE]


STEPS = "v = v * 3 + 1;" * 300
LONG = f"""
__global__ void long_one(int *a) {{
  int v = a[threadIdx.x + 1];
  {STEPS}
  a[threadIdx.x] = v;
}}

int main() {{
  int v = 0;
  {STEPS}
  long_one<<<1, 64>>>(nullptr);
}}
"""


def test_code_is_not_followed_beyond_the_time_limit(tmp_path: Path):
    report = analyze((parse(tmp_path, LONG),), AnalysisOptions(program_limit=0.0))
    reason = "open: the time limit was reached"
    assert observed(report, LONG) == {"long_one": [reason, f"{reason}: main is not followed whole, and may launch it"]}
    assert [m.text for m in report.messages] == ["the time limit was reached: main is not followed whole"]


ASSERTED = """
#include <assert.h>
__global__ void columns(int *a, int width, int stride) {
  assert(stride >= width);
  int t = threadIdx.x;
  if (t < width) a[blockIdx.x * stride + t] = t;  // cell
}
"""


def test_asserts(tmp_path: Path):
    program = parse(tmp_path, ASSERTED)
    with_them, without = (analyze((program,), AnalysisOptions(asserts=asserts)) for asserts in (True, False))
    assert observed(with_them, ASSERTED) == {"columns": SAFE}
    assert observed(without, ASSERTED) == {
        "columns": ["race: write cell, write cell; global; grid (unless width <= stride)"]
    }
