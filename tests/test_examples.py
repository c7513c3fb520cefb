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


LISTED = listed()
PROGRAMS = sorted(path.name for path in EXAMPLES.iterdir() if path.is_dir())


def test_the_table_lists_every_program():
    assert sorted(LISTED) == PROGRAMS
    assert len(PROGRAMS) == 8


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_racy_twin_has_the_listed_races_and_no_others(program: str):
    assert found(checked(program, "racy")) == LISTED[program]


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_correct_twin_is_safe(program: str):
    report = checked(program, "correct")
    assert (found(report), report["outcome"]) == (set(), "safe")
