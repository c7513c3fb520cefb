"""State after a `try` whose handler goes on, or returns to a caller: what the body changed is unknown.

Each program would be safe without exceptions (without the check), and may race since one may be thrown.
"""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check

TEXT = """
#include <cstdlib>
struct Sizes { int columns; };
int shared = 64;
__global__ void fill(float *a, int columns) { a[blockIdx.x * columns + threadIdx.x] = blockIdx.x; }
void positive(int n) { if (n < 1) throw 1; }
FUNCTIONS
int main(int argc, char **argv) {
  float *a;
  cudaMalloc(&a, 4096);
  MAIN
}
"""
LAUNCH = "fill<<<4, 64>>>(a, COLUMNS);"
BODIES = {
    "through a pointer": ("int n = 64; int *p = &n;", "*p = 0; CHECK *p = 64;", "n"),
    "an array": ("int n[2] = {64, 64};", "n[0] = 0; CHECK n[0] = 64;", "n[0]"),
    "in a lambda": ("int n = 64; auto set = [&]() { n = 0; CHECK n = 64; };", "set();", "n"),
    "on the heap": ("int *n = (int *)malloc(4); *n = 64;", "*n = 0; CHECK *n = 64;", "*n"),
    "a global in a function": ("", "change(argc);", "shared"),
    "behind an argument": ("Sizes s; s.columns = 64; Sizes *p = &s;", "change(*p, argc);", "s.columns"),
}
FUNCTIONS = """
void change(int argc) { shared = 0; CHECK shared = 64; }
void change(Sizes &s, int argc) { s.columns = 0; CHECK s.columns = 64; }
"""
CHECK = "positive(argc - 1);"


def outcome(folder: Path, main: str, functions: str, checked: str) -> Outcome:
    text = TEXT.replace("FUNCTIONS", functions).replace("MAIN", main).replace("CHECK", checked)
    (kernel,) = check(folder, text).kernels
    return kernel.outcome


@pytest.mark.parametrize(("before", "body", "columns"), BODIES.values(), ids=BODIES)
def test_what_a_body_leaves_half_done(tmp_path: Path, before: str, body: str, columns: str):
    main = f"{before} try {{ {body} }} catch (int) {{}} {LAUNCH.replace('COLUMNS', columns)}"
    assert outcome(tmp_path, main, FUNCTIONS, CHECK) is Outcome.RACE
    main = f"{before} {body} {LAUNCH.replace('COLUMNS', columns)}"
    assert outcome(tmp_path, main, FUNCTIONS, "") is Outcome.SAFE


def test_a_handler_that_returns_to_its_caller(tmp_path: Path):
    functions = "int size(int argc) { try { CHECK return 64; } catch (int) { HANDLER } }"
    main = f"int n = size(argc); {LAUNCH.replace('COLUMNS', 'n')}"
    assert outcome(tmp_path, main, functions.replace("HANDLER", "return 0;"), CHECK) is Outcome.RACE
    assert outcome(tmp_path, main, functions.replace("HANDLER", "exit(1);"), CHECK) is Outcome.SAFE


def test_a_handler_that_leaves_a_loop(tmp_path: Path):
    main = "int n = 64; do { try { n = 0; CHECK n = 64; } catch (int) { HANDLER } } while (false); " + LAUNCH
    main = main.replace("COLUMNS", "n")
    assert outcome(tmp_path, main.replace("HANDLER", "break;"), "", CHECK) is Outcome.RACE
    assert outcome(tmp_path, main.replace("HANDLER", "return 1;"), "", CHECK) is Outcome.SAFE


def test_a_method_that_is_called_main_returns_to_its_caller(tmp_path: Path):
    functions = "struct App { int main(int argc) { try { CHECK return 64; } catch (int) { HANDLER } } };"
    main = f"int n = App().main(argc); {LAUNCH.replace('COLUMNS', 'n')}"
    assert outcome(tmp_path, main, functions.replace("HANDLER", "return 0;"), CHECK) is Outcome.RACE
    assert outcome(tmp_path, main, functions.replace("HANDLER", "exit(1);"), CHECK) is Outcome.SAFE


@pytest.mark.parametrize("own", ["namespace own { void exit(int) {} }", "struct own { static void exit(int) {} };"])
def test_what_the_program_calls_exit_itself_goes_on(tmp_path: Path, own: str):
    functions = f"{own} int size(int argc) {{ try {{ CHECK return 64; }} catch (int) {{ HANDLER }} return 0; }}"
    main = f"int n = size(argc); {LAUNCH.replace('COLUMNS', 'n')}"
    assert outcome(tmp_path, main, functions.replace("HANDLER", "own::exit(1);"), CHECK) is Outcome.RACE
    assert outcome(tmp_path, main, functions.replace("HANDLER", "exit(1);"), CHECK) is Outcome.SAFE


@pytest.mark.parametrize(("name", "expected"), [("exit", Outcome.SAFE), ("own::exit", Outcome.RACE)])
def test_a_guard_that_ends_the_program(tmp_path: Path, name: str, expected: Outcome):
    main = f"if (argc < 64) {name}(1); {LAUNCH.replace('COLUMNS', 'argc')}"
    assert outcome(tmp_path, main, "namespace own { void exit(int); }", "") is expected
