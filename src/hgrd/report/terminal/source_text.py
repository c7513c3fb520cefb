"""Accesses and calls as the source has them: the text that stands at a span."""

from __future__ import annotations

import re
from typing import Final

from hgrd.findings.model import Site
from hgrd.program.span import Span
from hgrd.report.terminal.excerpt import SourceLine
from hgrd.report.terminal.names import in_source

_NAME: Final = re.compile(r"\**[A-Za-z_]\w*")
_MEMBER: Final = re.compile(r"(?:\.|->|::)[A-Za-z_]\w*")
_CALLEE: Final = re.compile(r"[\w:.>\[\]-]*?(\w+)\s*(?:<[^;{}()]*>)?\s*\(")
_OPENED: Final = {"[": "]", "(": ")"}
_LONGEST: Final = 60


def place(site: Site, source_line: SourceLine) -> str:
    """The place that is accessed, such as `tile[t + s]`: from the source, where that can be read and names one."""
    span = site.span
    line = source_line(span.file, span.line) if span.spelling is None else None
    text = _expression(_from(line, span)) if line is not None else ""
    return text if "[" in text or text.startswith("*") else in_source(site.text)


def callee(span: Span, source_line: SourceLine) -> str:
    """The name of the function that is called at a span; "" if the source does not say it there."""
    line = source_line(span.file, span.line)
    found = _CALLEE.match(_from(line, span)) if line is not None else None
    return found[1] if found is not None else ""


def _from(line: str, span: Span) -> str:
    return line.encode()[max(span.column - 1, 0) :].decode("utf-8", "ignore")


def _expression(text: str) -> str:
    """The name at the begin of a text, with the members and subscripts behind it; "" if it is none, or is long."""
    begin = _NAME.match(text)
    if begin is None:
        return ""
    end = begin.end()
    while end < len(text):
        member = _MEMBER.match(text, end)
        if member is not None:
            end = member.end()
        elif text[end] == "[" and (close := _closing(text, end)):
            end = close
        else:
            break
    return text[:end] if end <= _LONGEST and text[end : end + 1] != "(" else ""


def _closing(text: str, opening: int) -> int:
    """The end of the bracket that is opened; 0 if it is not closed in the line."""
    waiting: list[str] = []
    for at in range(opening, len(text)):
        if text[at] in _OPENED:
            waiting.append(_OPENED[text[at]])
        elif waiting and text[at] == waiting[-1]:
            waiting.pop()
            if not waiting:
                return at + 1
    return 0
