"""Texts of source files from a place on, for what clang's tree does not say."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import Final

from hgrd.program.span import Span

_OF_VARIABLE: Final = re.compile(r"\s*decltype\(\s*(?P<variable>\w+)\s*\)::(?P<name>\w+)\b")
_NAME: Final = re.compile(r"\s*(?:typename\s+)?(?:::)?\s*(?:template\s+)?(?P<name>[A-Za-z_]\w*)\s*")
_BRACKET: Final = re.compile(r"->|[<>()\[\]{}]\s*")
_LONGEST: Final = 8  # lines of a name with its template arguments
_FILES: Final = 16  # whose lines are kept


def text_at(span: Span, lines: int) -> str:
    """The text that begins at a place, at most so many lines of it; "" where the file cannot be read."""
    place = span.spelling or span
    try:
        read = _lines(place.file, Path(place.file).stat().st_mtime_ns)
    except OSError:
        return ""
    return "".join(read[place.line - 1 : place.line - 1 + lines])[max(place.column - 1, 0) :]


@lru_cache(maxsize=_FILES)
def _lines(file: str, _changed: int) -> list[str]:
    """The lines of a file as it was when it was last changed."""
    return Path(file).read_text("utf-8", "replace").splitlines(keepends=True)


def standard_name(span: Span, last: str) -> str:
    """The name of a function of the standard library that is called at a place by its namespace; "": it is not."""
    written = qualified_at(span, last).removeprefix("::").replace(" ", "")
    return written if written.startswith("std::") else ""


def qualified_at(span: Span, last: str) -> str:
    """The qualified name at a place that ends with `last`, a `…_v` with its arguments; "" where there is none."""
    text = text_at(span, _LONGEST)
    position = 0
    while found := _NAME.match(text, position):
        position = found.end()
        if text.startswith("<", position) and (found["name"] != last or last.endswith("_v")):
            position = _after_arguments(text, position)
        goes_on = text.startswith("::", position)
        if found["name"] == last and not goes_on:
            return " ".join(text[:position].split())
        if not goes_on:
            break
    return ""


def _after_arguments(text: str, begin: int) -> int:
    """The position after the template arguments that begin at a place, and blanks; without an end that of the text."""
    depth = 0
    for found in _BRACKET.finditer(text, begin):
        depth += (found[0][0] in "<([{") - (found[0][0] in ">)]}")
        if depth == 0:
            return found.end()
    return len(text)


def variable_before(span: Span, member: str) -> str:
    """The variable of `decltype(variable)::member` at a place; "" where something else stands there."""
    found = _OF_VARIABLE.match(text_at(span, 1))
    return found["variable"] if found is not None and found["name"] == member else ""
