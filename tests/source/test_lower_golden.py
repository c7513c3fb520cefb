"""Whole small programs, from the source to the print of their IR."""

from __future__ import annotations

from pathlib import Path

import pytest

from hgrd.program.printer import print_program
from hgrd.source.options import SourceOptions
from hgrd.source.parse import parse_file

GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize("source", sorted(GOLDEN.glob("*.cu")), ids=lambda path: path.stem)
def test_print(source: Path) -> None:
    program = parse_file(str(source), SourceOptions())
    assert program.diagnostics == ()
    assert print_program(program) == source.with_suffix(".txt").read_text()
