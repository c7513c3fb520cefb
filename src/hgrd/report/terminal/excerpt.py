"""Source excerpts: the line of a span, with a caret below."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias

from hgrd.program.span import Span
from hgrd.report.terminal.lines import Line, Tone, line

SourceLine: TypeAlias = Callable[[str, int], str | None]
"""Reads a line of a file by its number, from 1; None where it cannot be read."""


def source_reader() -> SourceLine:
    """Reader of source lines on disk, each file once.  Bytes that are not UTF-8 are shown as U+FFFD."""

    @lru_cache(maxsize=64)
    def lines_of(file: str) -> tuple[str, ...]:
        try:
            # Not str.splitlines(): compilers do not count form feeds and the like as line ends.
            return tuple(Path(file).read_bytes().decode("utf-8", "replace").split("\n"))
        except OSError:
            return ()

    def read(file: str, number: int) -> str | None:
        lines = lines_of(file)
        return lines[number - 1].rstrip("\r") if 0 < number <= len(lines) else None

    return read


def excerpt(span: Span, source_line: SourceLine) -> list[Line]:
    """The source line and a caret under the span's column; [] where the source cannot be read.

    Columns count bytes, as clang's do.
    """
    text = source_line(span.file, span.line)
    if text is None:
        return []
    before = text.encode()[: max(span.column - 1, 0)].decode("utf-8", "ignore")
    padding = "".join("\t" if c == "\t" else " " for c in before)
    return [
        line((Tone.FAINT, f"{span.line:5d} | "), text),
        line((Tone.FAINT, "      | "), padding, (Tone.CARET, "^")),
    ]
