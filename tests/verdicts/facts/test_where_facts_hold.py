"""Where a fact must stand to hold at a launch: every program is safe if its condition holds there."""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from hgrd.findings.model import Outcome, Report
from tests.checking import check

PROGRAM = """
#include <algorithm>
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
__global__ void fill(float *a, int cols, int stride) {
  int t = threadIdx.x;
  if (t < cols) a[blockIdx.x * stride + t] = t;
}
struct Image {
  int cols, stride;
  float *data;
};
DECLARATIONS
int main(int argc, char **argv) {
  int cols = atoi(argv[1]), stride = atoi(argv[2]), rows = atoi(argv[3]), other = atoi(argv[4]);
  float *a;
  cudaMalloc(&a, 4096 * sizeof(float) * rows);
  BODY
}
"""
LAUNCH = "fill<<<rows, 256>>>(a, cols, stride);"
ENSURE = "void ensure(bool ok) { if (!ok) exit(1); }"
MACRO = "#define ENSURE(x) do { if (!(x)) { fprintf(stderr, #x); exit(1); } } while (0)"
WIDER = "int wider(int n) { return (n + 31) / 32 * 32; }"
CLASS = """
class Filler {
 public:
  Filler(int cols) : cols_(cols), stride_(2 * cols) {}
  void run(float *a, int rows) const { fill<<<rows, 256>>>(a, cols_, stride_); }
 private:
  int cols_, stride_;
};
"""

# By what is tried: declarations, the body of main.
NESTED = """
template <class T> void launch(T *a, int rows, int cols, int stride) {
  dim3 grid(rows);
  [&] { if (rows > 1) [&] { fill<<<grid, 256>>>(a, cols, stride); }(); }();
}
"""
CONSTANT = "constexpr int N = WIDE; [&] { [&] { fill<<<rows, 256>>>(a, 256, N); }(); }();"
TWO = "#define BOTH(A, ...) { auto one = [&] { A; }; auto two = [&] { __VA_ARGS__; }; one(); two(); }"
HOLDS = {
    "assert": ("", f"assert(cols <= stride); {LAUNCH}"),
    "assert of a conjunction": ("", f"assert(rows > 1 && cols <= stride); {LAUNCH}"),
    "negated test": ("", f"if (!(cols <= stride)) return 1; {LAUNCH}"),
    "either of two tests": ("", f"if (rows < 1 || cols > stride) return 1; {LAUNCH}"),
    "throw": ("", f'if (cols > stride) throw std::runtime_error("too narrow"); {LAUNCH}'),
    "abort": ("", f"if (cols > stride) abort(); {LAUNCH}"),
    "branch": ("", f"if (cols <= stride) {{ {LAUNCH} }}"),
    "else": ("", f'if (cols > stride) puts("no"); else {{ {LAUNCH} }}'),
    "function": (ENSURE, f"ensure(cols <= stride); {LAUNCH}"),
    "macro": (MACRO, f"ENSURE(cols <= stride); {LAUNCH}"),
    "repaired": ("", f"if (cols > stride) stride = cols; {LAUNCH}"),
    "maximum": ("", f"stride = std::max(cols, stride); {LAUNCH}"),
    "minimum": ("", "fill<<<rows, 256>>>(a, std::min(cols, stride), stride);"),
    "conditional": ("", f"stride = stride < cols ? cols : stride; {LAUNCH}"),
    "computed by a function": (WIDER, f"stride = wider(cols); {LAUNCH}"),
    "sum": ("", f"assert(other >= 0); stride = cols + other; {LAUNCH}"),
    "through another variable": ("", f"int wide = cols; assert(wide == stride); {LAUNCH}"),
    "members": ("", "Image i{cols, cols, a}; fill<<<rows, 256>>>(i.data, i.cols, i.stride);"),
    "through a pointer": (
        "void launch(const Image *i, int rows) { fill<<<rows, 256>>>(i->data, i->cols, i->stride); }",
        "Image i{cols, 2 * cols, a}; assert(cols > 0); launch(&i, rows);",
    ),
    "class": (CLASS, "assert(cols > 0); Filler filler(cols); filler.run(a, rows);"),
    "loop": ("", f"for (stride = cols; stride < 4096; ++stride) {LAUNCH}"),
    "global constant": ("const int WIDE = 256;", "fill<<<rows, WIDE>>>(a, cols, WIDE);"),
    "rows one by one": ("", "for (int r = 0; r < rows; ++r) fill<<<1, 256>>>(a + r * stride, cols, stride);"),
    "template": (
        "template <int Stride> void launch(float *a, int rows) { fill<<<rows, 256>>>(a, Stride - 1, Stride); }",
        "launch<64>(a, rows);",
    ),
    "lambda": ("", f"auto launch = [&](int stride) {{ {LAUNCH} }}; launch(cols);"),
    "lambda in a lambda of a template": (NESTED, "launch(a, rows, cols, cols);"),
    "constant that a lambda does not capture": ("", CONSTANT.replace("WIDE", "128 * 2")),
    "two lambdas of one macro": (TWO, f"BOTH(stride = cols, {{ {LAUNCH} }})"),
}
DOES_NOT_HOLD = {
    "lambda in a lambda of a template": (NESTED, "launch(a, rows, cols, stride);"),
    "constant that a lambda does not capture": ("", CONSTANT.replace("WIDE", "128 + 127")),
    "two lambdas of one macro": (TWO, f"BOTH(other = cols, {{ {LAUNCH} }})"),
    "nothing": ("", LAUNCH),
    "assert behind the launch": ("", f"{LAUNCH} assert(cols <= stride);"),
    "guard behind the launch": ("", f"{LAUNCH} if (cols > stride) return 1;"),
    "assert in a branch": ("", f"if (other) assert(cols <= stride); {LAUNCH}"),
    "guard that goes on": ("", f'if (cols > stride) puts("too narrow"); {LAUNCH}'),
    "guard that sometimes goes on": ("", f"if (cols > stride && other) return 1; {LAUNCH}"),
    "changed since": ("", f"assert(cols <= stride); cols += other; {LAUNCH}"),
    "changed since by a function": (
        "void change(int &n) { n *= 2; }",
        f"assert(cols <= stride); change(cols); {LAUNCH}",
    ),
    "changed since by what is not seen": (
        "void change(int *n);",
        f"assert(cols <= stride); change(&stride); {LAUNCH}",
    ),
    "changed in a loop": ("", f"assert(cols <= stride); while (other-- > 0) ++cols; {LAUNCH}"),
    "other variable": ("", f"assert(cols <= other); {LAUNCH}"),
    "other branch": ("", f'if (cols <= stride) puts("fine"); else {{ {LAUNCH} }}'),
    "one of two launches": ("", f"if (other) assert(cols <= stride); if (!other) {{ {LAUNCH} }}"),
    "minimum": ("", f"stride = std::min(cols, stride); {LAUNCH}"),
    "bound of a loop that is over": ("", f'for (stride = 0; stride < cols; ++stride) puts(""); --stride; {LAUNCH}'),
    "one of two callers": (
        f"void launch(float *a, int rows, int cols, int stride) {{ {LAUNCH} }}",
        "if (other) launch(a, rows, cols, cols); else launch(a, rows, cols, stride);",
    ),
    "function that returns": (
        "int ensure(bool ok) { if (!ok) return 1; return 0; }",
        f"ensure(cols <= stride); {LAUNCH}",
    ),
    "rows one by one but all of them": (
        "",
        "for (int r = 0; r < rows; ++r) fill<<<rows, 256>>>(a + r * stride, cols, stride);",
    ),
}


@cache
def checked(declarations: str, body: str) -> Report:
    with TemporaryDirectory() as folder:
        return check(Path(folder), PROGRAM.replace("DECLARATIONS", declarations).replace("BODY", body))


@pytest.mark.parametrize("name", HOLDS)
def test_holds(name: str):
    (kernel,) = checked(*HOLDS[name]).kernels
    assert kernel.outcome is Outcome.SAFE
    assert all(launch.launch_span is not None for launch in kernel.launches)


@pytest.mark.parametrize("name", DOES_NOT_HOLD)
def test_does_not_hold(name: str):
    (kernel,) = checked(*DOES_NOT_HOLD[name]).kernels
    assert kernel.outcome is Outcome.RACE
    assert all(launch.launch_span is not None for launch in kernel.launches)
    assert {tuple(level.value for level in f.levels) for f in kernel.findings} == {("inter-block",)}
