"""The manual as a suite: each program of the guide gets just the verdicts written in it, and none of these is wrong."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.checking import barriers, check, observed
from tests.guide.page import page
from tests.guide.reading import PROGRAMS, GuideProgram, programs

PAGE = Path(__file__).parents[2] / "docs" / "cuda-coverage.md"
ALL = programs()


@pytest.mark.parametrize("program", ALL, ids=lambda p: str(p.path.relative_to(PROGRAMS)))
def test_verdicts(program: GuideProgram, tmp_path: Path):
    text = program.path.read_text()
    report = check(tmp_path, text)
    of_barriers = barriers(report, text)
    found = {kernel: sorted(lines + of_barriers[kernel]) for kernel, lines in observed(report, text).items()}
    assert found == program.verdicts


@pytest.mark.parametrize("program", ALL, ids=lambda p: str(p.path.relative_to(PROGRAMS)))
def test_no_verdict_is_wrong(program: GuideProgram):
    assert program.result != "wrong"
    assert (program.result == "unknown") == bool(program.gap), "a program is unknown just where it names a gap"


def test_every_program_has_its_twin():
    assert {name: count for name, count in Counter(p.name for p in ALL).items() if count != 2} == {}
    assert len({(p.name, p.section) for p in ALL}) * 2 == len(ALL), "a pair belongs to one section"


def test_the_page_is_made_from_the_programs():
    assert PAGE.read_text() == page(ALL), "python -m tests.guide"
