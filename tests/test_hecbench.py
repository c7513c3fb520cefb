"""What benchmarks/hecbench.py runs, and how it counts and draws."""

from pathlib import Path
from typing import Any

from benchmarks.hecbench import command, record, sample, table

SOURCE = """
#include "size.h"
__global__ void shift(int *a) { if (threadIdx.x < SIZE) a[threadIdx.x] = a[threadIdx.x + 1]; }
int main() { int *a; cudaMalloc(&a, 4096); shift<<<1, 2 * SIZE>>>(a); }
"""


def program(folder: Path) -> Path:
    root = folder / "shift-cuda"
    (root / "include").mkdir(parents=True)
    (root / "main.cu").write_text(SOURCE)
    (root / "include" / "size.h").write_text("")
    (root / "Makefile").write_text("main: main.cu\n\tnvcc -DSIZE=32 main.cu -o main\n")
    return root


def test_a_program_is_its_folder_with_its_headers_and_macros(tmp_path: Path):
    root = program(tmp_path)
    assert command(root, 60)[1:] == (
        *("-m", "hgrd", "check", "--again", "--format", "json", "--timeout=30", "--program-timeout=45", "-j1"),
        *(f"-I{root}", f"-I{root}/include", "-DSIZE=32", str(root)),
    )


def test_a_record_has_kernels_and_races(tmp_path: Path):
    found = record(program(tmp_path), 60)
    (kernel,) = found["kernels"]
    assert (found["status"], kernel["name"], kernel["launches"]) == (1, "shift", ["race"])
    assert [(race["kind"], race["levels"]) for race in kernel["races"]] == [("confirmed", ["intra-warp"])]


def results() -> dict[str, Any]:
    races = [{"kind": kind, "sites": []} for kind in ("definite", "data-dependent", "conditional", "same-value")]
    kernel = {"name": "k", "outcome": "race", "launches": ["race", "safe"], "races": races, "divergences": []}
    one = {"status": 1, "seconds": 2.0, "traceback": False, "kernels": [kernel | {"open": ["a.cu:3: why"]}]}
    two = {"status": None, "seconds": 60.0, "traceback": False, "kernels": [], "error": []}
    reasons = ["a.cu:3: why", "-: KeyError: 'x'", "a.cu:4: the time limit was reached"]
    odd = kernel | {"races": [], "outcome": "unknown", "open": reasons}
    return {"one": one, "two": two, "three": one | {"kernels": [odd]}}


def test_the_table_counts_by_class():
    lines = table(results()).splitlines()
    assert lines[2:10] == [
        "| programs | 3 |",
        "| … killed after the time limit | 1 |",
        "| … analysed in part only, for want of time | 1 |",
        "| … with a traceback or an internal error | 1 |",
        "| … without a kernel analysed | 1 |",
        "| kernels | 2: 1 race, 0 safe, 1 unknown |",
        "| launches | 4: 2 race, 2 safe, 0 unknown |",
        "| races | 4: 1 conditional, 1 data-dependent, 1 definite, 1 same-value |",
    ]
    assert "- two: 60.0 s" in lines
    assert "- 2 (2) × why (one/k)" in lines
    assert lines[-1] == "- 1 × killed after the time limit: two"


def test_only_races_that_count_are_drawn():
    drawn = sample(results(), 40, seed=1)
    assert sorted((name, kernel, race["kind"]) for name, kernel, race in drawn) == [
        ("one", "k", "data-dependent"),
        ("one", "k", "definite"),
    ]
