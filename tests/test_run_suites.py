"""The command lines that benchmarks/run_suites.py makes of manifests, and what it reads in reports."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

SCRIPT = Path(__file__).parents[1] / "benchmarks" / "run_suites.py"
HEAD = "-m hgrd check --again --format json"


def run(tmp_path: Path, manifest: dict[str, Any], *options: str) -> subprocess.CompletedProcess[str]:
    folder = tmp_path / "manifests"
    folder.mkdir(exist_ok=True)
    (folder / "m.json").write_text(json.dumps(manifest))
    command = [sys.executable, str(SCRIPT), "--manifests", str(folder), "--root", str(tmp_path)]
    command += ["--out", str(tmp_path / "results.json"), *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)


def lines(tmp_path: Path, parse: dict[str, Any], *entries: dict[str, Any]) -> list[str]:
    manifest = {"suite": "s", "parse": parse, "entries": [{"id": "x", "expected": "race", **e} for e in entries]}
    said = run(tmp_path, manifest, "--dry-run").stdout.splitlines()
    return [line.replace(str(tmp_path) + "/", "") for line in said]


def test_kernels_without_host_code_get_their_launch(tmp_path: Path):
    base = {"checkout": "c", "path": "k.cu", "kernels": ["k"]}
    assert lines(
        tmp_path,
        {"host": "none: in the header flags"},
        {**base, "launch": {"blockDim": "[16,8]", "gridDim": "4"}},
        {**base, "launch": {"blockDim": "64"}, "level": "block", "flags": ["-p", "n=0", "--warp-sync=32"]},
        {**base, "launch": {}, "level": "grid", "flags": ["--all-dims", "-DN"], "defines": ["N", "M=1"]},
    ) == [
        f"{HEAD} --kernel=k --block-dim=16,8 --grid-dim=4 --any-arguments --timeout=60 -j1 c/k.cu",
        f"{HEAD} --kernel=k --level=intra-warp,intra-block --warp-lockstep --param=n=0"
        " --block-dim=64 --grid-dim=* --any-arguments --timeout=60 -j1 c/k.cu",
        f"{HEAD} -DN -DM=1 --kernel=k --level=inter-block --block-dim=*,*,* --grid-dim=*,*,*"
        " --any-arguments --timeout=60 -j1 c/k.cu",
    ]


def test_host_code_says_its_launch_itself(tmp_path: Path):
    assert lines(
        tmp_path,
        {"host": "main in each file"},
        {
            "checkout": "c",
            "path": "a/k.cu",
            "host": {"file": "b/h.cc"},
            "files": ["a/l.h", "a/m.cu"],
            "rev": "0123456789abcdef",
        },
        {"checkout": "c", "path": "k.cu", "launch": {"blockDim": "33", "source": "literal launch in main"}},
    ) == [
        f"{HEAD} --timeout=60 -j1 c@0123456789ab/a/k.cu c@0123456789ab/a/m.cu c@0123456789ab/b/h.cc",
        f"{HEAD} --timeout=60 -j1 c/k.cu",
    ]


def test_include_paths_come_from_the_suite_the_entry_and_its_headers(tmp_path: Path):
    for folder in ("one/inc", "one/family/a", "two/inc", "one/own"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "one/family/common.h").touch()
    assert lines(
        tmp_path,
        {"include": ["one: inc (of the first)", "three: own", "a stub header works"]},
        {"checkout": "one", "path": "family/a/k.cu", "include": ["own"], "includes": ["common.h", "cuda.h"]},
        {"checkout": "two", "path": "k.cu"},
    ) == [
        f"{HEAD} -Ione/inc -Ione/own -Ione/family --timeout=60 -j1 one/family/a/k.cu",
        f"{HEAD} --timeout=60 -j1 two/k.cu",
    ]


def test_what_is_not_there_or_not_cuda_is_said(tmp_path: Path):
    entries = [
        {"id": "a", "checkout": "c", "path": "k.cu", "expected": "race"},
        {"id": "b", "checkout": "c", "path": "k.cl", "language": "opencl", "expected": "norace"},
    ]
    run(tmp_path, {"suite": "s", "entries": entries})
    assert json.loads((tmp_path / "results.json").read_text()) == [
        {"suite": "s", "id": "a", "verdict": "missing", "reasons": [str(tmp_path / "c/k.cu")]},
        {"suite": "s", "id": "b", "verdict": "unsupported"},
    ]


def test_verdicts_lines_and_kinds(tmp_path: Path):
    (tmp_path / "c").mkdir()
    (tmp_path / "c/racy.cu").write_text("__global__ void k(int *a) {\n  a[0] = threadIdx.x;\n}\n")
    (tmp_path / "c/safe.cu").write_text("__global__ void k(int *a) {\n  a[threadIdx.x] = 1;\n}\n")
    entries = [
        {"id": name, "checkout": "c", "path": f"{name}.cu", "launch": {"blockDim": "32", "gridDim": "1"}, "expected": e}
        for name, e in (("racy", "race"), ("safe", "norace"))
    ]
    run(tmp_path, {"suite": "s", "parse": {"host": "none"}, "entries": entries})
    racy, safe = json.loads((tmp_path / "results.json").read_text())
    assert (racy["verdict"], safe["verdict"]) == ("race", "norace")
    assert racy["races"] == [
        {
            "lines": [2, 2],
            "kind": "WW",
            "space": "global",
            "array": "a",
            "scopes": ["intra-warp"],
            "confidence": "confirmed",
        }
    ]


def test_a_suite_gives_values_to_macros_of_a_checkout(tmp_path: Path):
    base = {"path": "k.cu", "defines": ["A"]}
    parse = {"defines": ["Tree: N=4", "Other: M, K", "L=2, J"]}
    found = lines(tmp_path, parse, {**base, "checkout": "tree"}, {**base, "checkout": "other"})
    assert found == [
        f"{HEAD} -DA -DN=4 -DL=2 --timeout=60 -j1 tree/k.cu",
        f"{HEAD} -DA -DL=2 --timeout=60 -j1 other/k.cu",
    ]
