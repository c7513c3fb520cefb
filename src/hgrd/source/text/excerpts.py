"""Texts of source files from a place on, for what clang's tree does not say."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from hgrd.program.span import Span

_QUALIFIED: Final = re.compile(
    r"\s*(?:decltype\(\s*(?P<variable>\w+)\s*\)|(?P<type>[\w:]+(?:<[\w:<>, ]*>)?))::(?P<name>\w+)\b"
)


def text_at(span: Span, lines: int) -> str:
    """The text that begins at a place, at most so many lines of it; "" where the file cannot be read."""
    place = span.spelling or span
    try:
        text = Path(place.file).read_text("utf-8", "replace")
    except OSError:
        return ""
    return "".join(text.splitlines(keepends=True)[place.line - 1 : place.line - 1 + lines])[max(place.column - 1, 0) :]


def class_before(span: Span, member: str) -> tuple[str, str] | None:
    """What stands before `::member` at a place: (variable, "") for `decltype(variable)`, else ("", type).

    None: something else stands there.
    """
    found = _QUALIFIED.match(text_at(span, 1))
    if found is None or found["name"] != member:
        return None
    return (found["variable"], "") if found["variable"] else ("", found["type"])
