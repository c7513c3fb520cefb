"""The tables of benchmarks/table3.py over two small programs."""

import json
import subprocess
import sys
from pathlib import Path

RACING = """
__global__ void next(int *a) {
  int v = a[threadIdx.x + 1];
  a[threadIdx.x] = v;
}
void run(int *a) { next<<<1, 64>>>(a); }
"""
CLEAN = """
#include <cassert>
__global__ void rows(float *a, int cols, int stride) {
  int t = threadIdx.x;
  if (t < cols) a[blockIdx.x * stride + t] = t;
}
void run(float *a, int n, int cols, int stride) {
  assert(cols <= stride);
  rows<<<n, 256>>>(a, cols, stride);
}
"""
RACES = [{"lines": [3, 4], "kind": "RW", "space": "global"}]


def test_both_tables(tmp_path: Path):
    for name, source in (("racing", RACING), ("clean", CLEAN)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "k.cu").write_text(source)
    entries = [
        {"id": "pushNode", "checkout": "racing", "path": "k.cu", "expected": "race", "races": RACES},
        {"id": "conel", "checkout": "racing", "path": "k.cu", "expected": "race", "races": RACES * 2 + [
            {"lines": [4, 4], "kind": "WW", "space": "global"}]},
        {"id": "copyUppToLow", "checkout": "clean", "path": "k.cu", "expected": "norace"},
    ]  # fmt: skip
    manifest = tmp_path / "manifest.json"
    manifest.write_text(json.dumps({"suite": "s", "entries": entries}))
    command = [sys.executable, "-m", "benchmarks.table3", "--manifest", str(manifest), "--root", str(tmp_path)]
    root = Path(__file__).parents[1]
    done = subprocess.run(
        [*command, "--ablation"], capture_output=True, text=True, timeout=300, check=True, cwd=root
    ).stdout
    rows = [line.split() for line in done.splitlines()]
    assert [(row[0], row[-3], row[-2]) for row in rows[1:4]] == [
        ("pushNode", "1", "exact"),
        ("conel", "1", "differ"),
        ("copyUppToLow", "0", "exact"),
    ]
    assert rows[4][:3] == ["2", "of", "3"]
    # Table 4: without the assert the race is one under a precondition; the extent of the block is no reason.
    assert rows[-1] == ["copyUppToLow", "0", "0", "+1?", ".", "assert"]
