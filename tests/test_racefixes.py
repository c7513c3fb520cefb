"""What benchmarks/racefixes.py makes of a fix."""

import subprocess
from pathlib import Path

import pytest

from benchmarks.racefixes import (
    Outcomes,
    Race,
    Version,
    compared,
    files_in,
    names_in,
    outcome,
    short,
    summary,
    table,
    translated,
)
from hgrd.engine.check import Limits

RACE = Race("k", "shared", ("read b[0]", "write a[0]"), "definite", "k.cu:4 and k.cu:5")
MOVED = Race("k", "shared", ("read b[0]", "write a[0]"), "conditional", "k.cu:7 and k.cu:8")
OTHER = Race("k", "shared", ("read c[0]", "write a[0]"), "definite", "k.cu:6")
KERNEL = """__global__ void shift(int *a) {
  __shared__ int tile[64];
  tile[threadIdx.x] = a[threadIdx.x];
  BARRIER
  a[threadIdx.x] = tile[63 - threadIdx.x];
}
__global__ void other(int *a) { a[0] = threadIdx.x; }
int main() {
  int *a;
  cudaMalloc(&a, 256);
  shift<<<1, 64>>>(a);
  other<<<1, 64>>>(a);
}
"""


def version(kernels: str, *races: Race, reasons: tuple[str, ...] = (), stopped: str = "") -> Version:
    return Version(dict(pair.split("=") for pair in kernels.split()), races, reasons, stopped)


def test_an_entry_names_functions_and_files():
    entry = {"kernel": "a::b::draw (host), scan block,  k", "file": "x/a.cu ; b.cuh, c.cu"}
    assert names_in(entry) == ("draw", "scan", "k")
    assert files_in(entry) == ("x/a.cu", "b.cuh", "c.cu")


def test_a_race_that_is_gone_is_found_wherever_its_lines_stand():
    before, after = version("k=race", RACE, OTHER), version("k=race", MOVED)
    assert compared("fix", before, after) == Outcomes("fix", True, (OTHER,), (RACE,), "", "race")
    assert compared("fix", version("k=race", RACE), version("k=safe")) == Outcomes("fix", True, (RACE,), (), "", "safe")


def test_what_is_not_decided_after_is_not_gone():
    after = Version({"k": "unknown"}, (), (), open=(MOVED,))
    assert compared("fix", version("k=race", RACE, OTHER), after) == Outcomes(
        "fix", True, (OTHER,), (RACE,), "", "unknown"
    )
    after = version("k=unknown", stopped="late")
    assert compared("fix", version("k=race", RACE), after) == Outcomes(
        "fix", True, (), (RACE,), "stopped after: late", "unknown"
    )


@pytest.mark.parametrize(
    ("before", "after", "parsed", "reason"),
    [
        (
            version("k=race", RACE),
            version("k=race", MOVED),
            True,
            "the races are there after, too, or open: 1, k.cu:4 and k.cu:5",
        ),
        (version("k=unknown", reasons=("no bound", "x", "y")), version("k=safe"), True, "unknown: no bound; x"),
        (version("k=unknown", stopped="the time is over"), version("k=safe"), True, "stopped: the time is over"),
        (version("k=safe"), version("k=safe"), True, "called safe"),
        (
            version("", reasons=("it defines no kernel",)),
            version("k=safe"),
            False,
            "not parsed: before: it defines no kernel",
        ),
        (version("k=race", RACE), version(""), False, "not parsed: after: no kernel"),
    ],
)
def test_why_a_fix_was_not_found(before: Version, after: Version, *, parsed: bool, reason: str):
    result = compared("fix", before, after)
    assert (result.parsed, result.found, result.reason) == (parsed, (), reason)


def test_headers_are_looked_at_through_what_includes_them(tmp_path: Path):
    (tmp_path / "src").mkdir()
    texts = {"h.cuh": "", "a.cu": '#include "h.cuh"\n', "b.cu": '#include "h.cuh"\nreduce(1);\n', "c.cu": "\n"}
    for name, text in texts.items():
        (tmp_path / "src" / name).write_text(text)
    (tmp_path / "d.cu").write_text('#include "src/a.cu"\n// reduce\n')
    assert translated(tmp_path, "src/h.cuh", ["reduce"]) == ("src/b.cu", "d.cu")
    assert translated(tmp_path, "src/a.cu", ["reduce"]) == ("src/a.cu",)
    assert translated(tmp_path, "src/gone.cu", ["reduce"]) == ()
    assert translated(tmp_path, "src/gone.cuh", ["reduce"]) == ()


def test_reasons_have_no_names_and_numbers():
    assert short("the loop 'i' (k.cu:4) has 12 more") == "the loop … … has … more"


def test_the_table_and_the_causes():
    rows = [
        Outcomes("a", True, (RACE, MOVED, OTHER, OTHER), (), "", "safe"),
        Outcomes("b", True, (), (RACE,), "the races are there after, too, or open: 1, k.cu:4 and k.cu:5"),
        Outcomes("c", False, (), (), "not parsed: before: a|b"),
        Outcomes("d", None, None, (), "skipped: not in the mirror"),
        Outcomes("e", None, None, (), "skipped: the commits are not known"),
    ]
    found = "k k.cu:4 and k.cu:5 (definite); k k.cu:7 and k.cu:8 (conditional); k k.cu:6 (definite); 1 more"
    assert list(table(rows))[2:] == [
        f"| a | yes | {found} | 0 | safe |  |",
        "| b | yes | no | 1 |  | the races are there after, too, or open: 1, k.cu:4 and k.cu:5 |",
        "| c | no | no | 0 |  | not parsed: before: a/b |",
        "| d | - | no | 0 |  | skipped: not in the mirror |",
        "| e | - | no | 0 |  | skipped: the commits are not known |",
    ]
    assert list(summary(rows)) == [
        "5 fixes, 2 parsed, 1 found",
        "  2 skipped",
        "  1 the races are there after, too, or open",
        "  1 not parsed",
    ]


def commits(mirror: Path, *texts: str) -> list[str]:
    """A mirror of somebody/small, with the file src/k.cu as each text has it."""
    work = mirror / "somebody+small" / "repo"
    (work / "src").mkdir(parents=True)
    git = ["git", "-C", str(work), "-c", "user.name=n", "-c", "user.email=e@x"]
    subprocess.run([*git, "init", "-q"], check=True)
    found: list[str] = []
    for text in texts:
        (work / "src" / "k.cu").write_text(text)
        subprocess.run([*git, "add", "."], check=True)
        subprocess.run([*git, "commit", "-q", "-m", "x"], check=True)
        found.append(
            subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
        )
    return found


def test_a_fix_is_found_in_a_repository(tmp_path: Path):
    before, after = commits(
        tmp_path, KERNEL.replace("BARRIER", ""), "\n" + KERNEL.replace("BARRIER", "__syncthreads();")
    )
    entry = {
        "repo": "somebody/small",
        "ref": "1",
        "file": "src/k.cu",
        "kernel": "shift",
        "before": before,
        "after": after,
    }
    result = outcome(entry, tmp_path, Limits(2))
    race = Race(
        "shift",
        "shared",
        ("read a[threadIdx.x] = tile[63 - threadIdx.x];", "write tile[threadIdx.x] = a[threadIdx.x];"),
        "definite",
        "k.cu:3 and k.cu:5",
    )
    assert result == Outcomes("somebody/small 1", True, (race,), (), "", "safe")
    assert outcome({**entry, "before": after}, tmp_path, Limits(2)).reason == "called safe"
    assert outcome({**entry, "file": "src/gone.cu"}, tmp_path, Limits(2)).parsed is False
    assert outcome({**entry, "after": "0" * 40}, tmp_path, Limits(2)).reason == "skipped: not in the mirror"
    assert outcome({**entry, "after": None}, tmp_path, Limits(2)).reason == "skipped: the commits are not known"


def test_a_function_that_is_no_kernel_stands_for_the_findings_in_its_file(tmp_path: Path):
    before, after = commits(tmp_path, KERNEL.replace("BARRIER", ""), KERNEL.replace("BARRIER", "__syncthreads();"))
    entry = {"repo": "somebody/small", "ref": "1", "file": "src/k.cu", "kernel": "f", "before": before, "after": after}
    result = outcome(entry, tmp_path, Limits(2))
    assert result.found is not None
    assert [race.kernel for race in result.found] == ["shift"]
    assert [race.kernel for race in result.left] == ["other"]
