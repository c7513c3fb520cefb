"""The examples: the racy twins have exactly the races that examples/README.md lists, the others none."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
KINDS = {"R": "read", "W": "write", "A": "atomic"}
ROW = re.compile(r"^\| (\w+) \| (\w+) \| (\w+) \| (.+?) \| (.+?) \|")
BARRIER = re.compile(r"^\| (\w+) \| (HGRD\d+) \| line (\d+) \| (\w+) \|")
ACCESS = re.compile(r"([RWA])(\d+)")


class Race(NamedTuple):
    space: str
    array: str
    accesses: tuple[tuple[int, str], ...]
    levels: tuple[str, ...]


def listed() -> dict[str, set[Race]]:
    """The table of examples/README.md: races by program."""
    races: dict[str, set[Race]] = {}
    for line in (EXAMPLES / "README.md").read_text().splitlines():
        if (row := ROW.match(line)) and (accesses := ACCESS.findall(row[4])):
            pair = tuple(sorted((int(number), KINDS[kind]) for kind, number in accesses))
            races.setdefault(row[1], set()).add(Race(row[2], row[3], pair, tuple(row[5].split(", "))))
    return races


class AtBarrier(NamedTuple):
    rule: str
    line: int
    scope: str


def listed_barriers() -> dict[str, set[AtBarrier]]:
    """The second table: findings about barriers by program."""
    found: dict[str, set[AtBarrier]] = {}
    for line in (EXAMPLES / "README.md").read_text().splitlines():
        if row := BARRIER.match(line):
            found.setdefault(row[1], set()).add(AtBarrier(row[2], int(row[3]), row[4]))
    return found


def checked(program: str, twin: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "hgrd", "check", "--format=json", str(EXAMPLES / program / f"{twin}.cu")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


def found(report: dict[str, Any]) -> set[Race]:
    findings = [finding for kernel in report["kernels"] for finding in kernel["findings"]]
    return {
        Race(
            finding["space"],
            finding["first"]["array"],
            tuple(sorted((site["location"]["line"], site["kind"]) for site in (finding["first"], finding["second"]))),
            tuple(finding["levels"]),
        )
        for finding in findings
    }


def found_at_barriers(report: dict[str, Any]) -> set[AtBarrier]:
    findings = [finding for kernel in report["kernels"] for finding in kernel["divergences"]]
    return {AtBarrier(f["rule"], f["location"]["line"], f["scope"]) for f in findings}


LISTED = listed()
BARRIERS = listed_barriers()
PROGRAMS = sorted(path.name for path in EXAMPLES.iterdir() if path.is_dir())


def test_the_tables_list_every_program():
    assert sorted({*LISTED, *BARRIERS}) == PROGRAMS
    assert len(PROGRAMS) == 9


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_racy_twin_has_the_listed_races_and_no_others(program: str):
    report = checked(program, "racy")
    assert found(report) == LISTED.get(program, set())
    assert found_at_barriers(report) == BARRIERS.get(program, set())
    assert {finding["replay"] for kernel in report["kernels"] for finding in kernel["findings"]} <= {"confirmed"}


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_correct_twin_is_safe(program: str):
    report = checked(program, "correct")
    assert (found(report), found_at_barriers(report), report["outcome"]) == (set(), set(), "safe")
