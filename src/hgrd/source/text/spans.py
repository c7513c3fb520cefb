"""Source text at spans, for parts that clang's syntax tree leaves out."""

from __future__ import annotations

import re
from pathlib import Path

from hgrd.program.span import Span

_ASM = re.compile(r"\b(?:__asm__|__asm|asm)\b[^(]{0,80}\(")
_PART = re.compile(r'\s*(?:"((?:[^"\\]|\\.)*)"|R"\(((?:.|\n)*?)\)"|//[^\n]*\n|/\*.*?\*/|\\\n)', re.DOTALL)
_ESCAPES = {"\\n": "\n", "\\t": "\t", '\\"': '"', "\\\\": "\\"}


def _lines(file: str) -> tuple[str, ...]:
    try:
        return tuple(Path(file).read_text("utf-8", "replace").splitlines(keepends=True))
    except OSError:
        return ()


def assembly_template(span: Span) -> str:
    """The template of the inline assembly that begins at `span`; "" if it cannot be read."""
    place = span.spelling or span
    lines = _lines(place.file)
    text = "".join(lines[place.line - 1 : place.line + 200])[max(place.column - 1, 0) :]
    start = _ASM.match(text)
    if start is None:
        return ""
    position = start.end()
    parts: list[str] = []
    while match := _PART.match(text, position):
        parts.append(re.sub(r'\\[nt"\\]', lambda m: _ESCAPES[m[0]], match[1] or "") + (match[2] or ""))
        position = match.end()
    return "".join(parts)
