"""Facts of host code: programs that are safe with a fact and race without it; the report names the fact.

In each program one line bears the label `fact`.  Its twin is the same program with that line replaced.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from hgrd.findings.model import Outcome, Report
from tests.checking import check, decided, observed


@dataclass(frozen=True)
class Program:
    """`without` replaces the line of the fact; `used` are kind and text of the fact as the report has it."""

    source: str
    without: str
    pairs: int
    used: tuple[str, str]
    races: tuple[str, ...]
    used_in: str = "fact"  # the label of the line that the report refers to

    def line(self, label: str) -> int:
        return 1 + next(n for n, line in enumerate(self.source.splitlines()) if line.endswith(f"// {label}"))

    @property
    def twin(self) -> str:
        lines = self.source.splitlines()
        lines[self.line("fact") - 1] = self.without
        return "\n".join(lines)


CELLS = "race: write cell, write cell; global; "

# ---------------------------------------------------------------- asserts and guards

ROWS = """
#include <cassert>
#include <cstdlib>
__global__ void fill(float *a, int cols, int stride) {
  int t = threadIdx.x;
  if (t < cols) a[blockIdx.x * stride + t] = t;  // cell
}
int main(int argc, char **argv) {
  int cols = atoi(argv[1]), stride = atoi(argv[2]), rows = atoi(argv[3]);
  float *a;
  cudaMalloc(&a, sizeof(float) * rows * stride);
  FACT  // fact
  fill<<<rows, 256>>>(a, cols, stride);  // launch
}
"""


def rows(fact: str, used: tuple[str, str], used_in: str = "fact") -> Program:
    return Program(ROWS.replace("FACT", fact), "", 1, used, (CELLS + "grid (unless cols <= stride)",), used_in)


# ---------------------------------------------------------------- launch dimensions

ONE_BLOCK = Program(
    """
__global__ void fill(int *a) {
  a[threadIdx.x] = blockIdx.x + threadIdx.x;  // cell
}
void run(int *a, int n) {
  fill<<<1, 64>>>(a);  // fact
}
""",
    "  fill<<<n, 64>>>(a);",
    1,
    ("dimension", "gridDim.x == 1"),
    (CELLS + "grid",),
)
ONE_WARP = Program(
    """
__global__ void fill(int *a, const int *in, int n) {
  for (int i = 0; i < n; ++i) a[(blockIdx.x * n + i) * 64 + threadIdx.x] = in[i] + threadIdx.x / 64;  // cell
}
void run(int *a, const int *in, int n, int blocks) {
  int threads = 64;  // fact
  fill<<<blocks, threads>>>(a, in, n);  // launch
}
""",
    "  int threads = 65;",
    1,
    ("dimension", "blockDim.x == 64"),
    (CELLS + "block grid",),
    used_in="launch",
)

# ---------------------------------------------------------------- relations among parameters

GRID_OF_WIDTH = Program(
    """
#include <cstdlib>
__global__ void fill(int *a, int width) {
  int x = blockIdx.x * 16 + threadIdx.x;
  a[blockIdx.y * width + x] = x;  // cell
}
int main(int argc, char **argv) {
  int width = atoi(argv[1]), height = atoi(argv[2]);
  int *a;
  cudaMalloc(&a, 4 * width * height);
  int columns = width / 16;  // fact
  fill<<<dim3(columns, height), 16>>>(a, width);  // launch
}
""",
    "  int columns = (width + 15) / 16;",
    1,
    ("relation", "gridDim.x == width / 16"),
    (CELLS + "grid (unless width % 16 == 0)",),
    used_in="launch",
)
STRIDE_OF_COLS = Program(
    """
#include <cstdlib>
__global__ void fill(int *a, int cols, int stride) {
  int t = threadIdx.x;
  if (t < cols) a[blockIdx.x * stride + t] = t;  // cell
}
int main(int argc, char **argv) {
  int cols = atoi(argv[1]), rows = atoi(argv[2]);
  int *a;
  cudaMalloc(&a, 8 * cols * rows);
  int stride = 2 * cols;  // fact
  fill<<<rows, 256>>>(a, cols, stride);  // launch
}
""",
    "  int stride = cols / 2;",
    1,
    ("relation", "stride == cols * 2"),
    (CELLS + "grid (unless 256 <= stride)",),
    used_in="launch",
)
CONSTANT_THROUGH_CALLS = Program(
    """
__global__ void fill(int *a, int stride) {
  a[blockIdx.x * stride + threadIdx.x] = threadIdx.x;  // cell
}
void inner(int *a, int blocks, int stride) {
  fill<<<blocks, 128>>>(a, stride);  // launch
}
void outer(int *a, int blocks, int stride) { inner(a, blocks, stride); }
void run(int *a, int blocks) {
  outer(a, blocks, 128);  // fact
}
""",
    "  outer(a, blocks, 127);",
    1,
    ("constant", "stride == 128"),
    (CELLS + "grid",),
    used_in="launch",
)

# ---------------------------------------------------------------- loop bounds

HOST_LOOP = Program(
    """
#include <cstdlib>
__global__ void copy(int *a, int n, int k) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[n + i] = a[k];  // cell
}
int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  int *a;
  cudaMalloc(&a, 8 * n);
  for (int k = 0; k < n; ++k)  // fact
    copy<<<(n + 63) / 64, 64>>>(a, n, k);
}
""",
    "  for (int k = 0; k <= n; ++k)",
    2,
    ("loop bound", "k# < n"),
    ("race: read cell, write cell; global; warp block grid",),
)

# ---------------------------------------------------------------- allocations

PITCH = Program(
    """
#include <cstdlib>
__global__ void fill(char *a, size_t pitch, int width) {
  float *row = (float *)(a + blockIdx.x * pitch);
  for (int i = threadIdx.x; i < width; i += blockDim.x) row[i] = i;  // cell
}
int main(int argc, char **argv) {
  int width = atoi(argv[1]), height = atoi(argv[2]);
  size_t pitch = atoi(argv[3]);
  char *a;
  cudaMallocPitch(&a, &pitch, width * sizeof(float), height);  // fact
  fill<<<height, 128>>>(a, pitch, width);
}
""",
    "  cudaMalloc(&a, pitch * height);",
    1,
    ("allocation", "width * 4 <= pitch"),
    (CELLS + "grid",),
)
SIZE = Program(
    """
#include <cstdlib>
__global__ void fill(int *a, int *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = 0;  // small
  if (i < n) b[i % 100] = i;  // cell
}
int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  int *a, *b;
  cudaMalloc(&a, 4 * 100);  // fact
  cudaMalloc(&b, 4 * 100);  // extent
  fill<<<(n + 255) / 256, 256>>>(a, b, n);
}
""",
    "  cudaMalloc(&a, 4 * 1000);",
    2,
    ("assumption", "accesses to b, and subscripts before, stay within arrays"),
    (CELLS + "block grid",),
    used_in="extent",
)

# ---------------------------------------------------------------- constant memory

COPIED = Program(
    """
#include <cassert>
#include <cstdlib>
__constant__ int columns;
__global__ void fill(float *a, int stride) {
  int t = threadIdx.x;
  if (t < columns) a[blockIdx.x * stride + t] = t;  // cell
}
int main(int argc, char **argv) {
  int cols = atoi(argv[1]), rows = atoi(argv[2]);
  float *a;
  cudaMalloc(&a, sizeof(float) * rows * cols);
  cudaMemcpyToSymbol(columns, &cols, sizeof cols);  // fact
  fill<<<rows, 256>>>(a, cols);
}
""",
    "",
    1,
    ("constant memory", "columns == cols"),
    (CELLS + "grid (unless atmost(columns, cols))",),
)

DECLARED = Program(
    """
__constant__ int stride = 256;  // fact
__global__ void fill(float *a) {
  a[blockIdx.x * stride + threadIdx.x] = threadIdx.x;  // cell
}
void run(float *a) { fill<<<12, 256>>>(a); }
""",
    "__constant__ int stride;",
    1,
    ("constant memory", "stride == 256"),
    (CELLS + "grid (data-dependent)",),
)

PROGRAMS = {
    "assert": rows("assert(stride >= cols);", ("assert", "cols <= stride")),
    "guard that returns": rows("if (stride < cols) return 1;", ("guard", "cols <= stride")),
    "guard that exits": rows("if (cols > stride) { exit(1); }", ("guard", "cols <= stride")),
    "constant": rows("cols = 100, stride = 128;", ("constant", "stride == 128"), "launch"),
    "one block": ONE_BLOCK,
    "block of 64": ONE_WARP,
    "grid computed from a parameter": GRID_OF_WIDTH,
    "parameters computed from one": STRIDE_OF_COLS,
    "constant through two calls": CONSTANT_THROUGH_CALLS,
    "bounds of a loop on the host": HOST_LOOP,
    "pitch of an allocation": PITCH,
    "size of an allocation": SIZE,
    "copied to constant memory": COPIED,
    "declared in constant memory": DECLARED,
}


@cache
def checked(source: str) -> Report:
    with TemporaryDirectory() as folder:
        return check(Path(folder), source)


@pytest.mark.parametrize("name", PROGRAMS)
def test_safe_with_the_fact(name: str):
    program = PROGRAMS[name]
    report = checked(program.source)
    assert {k.outcome for k in report.kernels} == {Outcome.SAFE}
    assert decided(report) == (program.pairs, program.pairs)


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_fact_is_named(name: str):
    program = PROGRAMS[name]
    launches = [launch for kernel in checked(program.source).kernels for launch in kernel.launches]
    uses = {(use.kind, use.text, use.span.line) for launch in launches for use in launch.assumptions}
    assert (*program.used, program.line(program.used_in)) in uses


@pytest.mark.parametrize("name", PROGRAMS)
def test_race_without_the_fact(name: str):
    program = PROGRAMS[name]
    found = observed(checked(program.twin), program.twin)
    races = [line for lines in found.values() for line in lines if not line.startswith("safe")]
    assert races == list(program.races)


@pytest.mark.parametrize("name", [name for name, program in PROGRAMS.items() if program.used[0] in ("assert", "guard")])
def test_the_proof_names_the_fact(name: str):
    program = PROGRAMS[name]
    (launch,) = checked(program.source).kernels[0].launches
    (proof,) = launch.proofs
    cell = program.line("cell")
    assert (proof.first.span.line, proof.second.span.line) == (cell, cell)
    assert (*program.used, program.line(program.used_in)) in {(f.kind, f.text, f.span.line) for f in proof.facts}


@pytest.mark.parametrize(("then", "expected"), [("x", Outcome.SAFE), ("y", Outcome.RACE)])
def test_a_variable_that_a_pointer_is_set_to_in_a_loop(tmp_path: Path, then: str, expected: Outcome) -> None:
    """The first iteration writes x; the second one what the first has left in the pointer."""
    program = f"""
#include <cuda_runtime.h>
#include <cstdlib>
__global__ void strided(int *out, int step) {{ out[threadIdx.x * step] = threadIdx.x; }}
int main(int argc, char **argv) {{
  int *out, x = 1, y = 2, *q = &x;
  cudaMalloc(&out, 1 << 20);
  for (int r = 0; r < atoi(argv[1]); r++) {{
    strided<<<1, 256>>>(out, y);
    *q = 0;
    q = &{then};
  }}
}}
"""
    (kernel,) = check(tmp_path, program).kernels
    assert kernel.outcome is expected
