"""Text of an `asm` statement, which clang's syntax tree leaves out: its template, and the names of its operands.

GCC, "Extended Asm"; Inline PTX Assembly in CUDA, "Assembler (ASM) Statements".
"""

from __future__ import annotations

import re

from msgspec import Struct

from hgrd.program.span import Span
from hgrd.source.text.excerpts import text_at

_ASM = re.compile(r"(?:__asm__|__asm|asm)\b\s*(?:(?:__volatile__|__volatile|volatile|__inline__|inline|goto)\s*)*\(")
_PART = re.compile(r'\s*(?:"((?:[^"\\]|\\.)*)"|R"\(((?:.|\n)*?)\)"|//[^\n]*\n|/\*.*?\*/|\\\n)', re.DOTALL)
_ESCAPE = re.compile(r"\\(x[0-9A-Fa-f]+|[0-7]{1,3}|\n|.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "v": "\v", "f": "\f", "a": "\a", "b": "\b", "\n": ""}
_CONSTRAINT = re.compile(r'\s*(?:\[\s*(\w+)\s*\])?\s*"([^"]*)"\s*\(')
_SKIP = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'|//[^\n]*|/\*.*?\*/|.', re.DOTALL)
_LINES = 400  # the most that one statement has


class AsmOperand(Struct, frozen=True):
    """Operand of an `asm` statement: its name in brackets ("": none), and its constraint ("=r", "l", "+f")."""

    name: str
    constraint: str


class AsmText(Struct, frozen=True):
    """Text of an `asm` statement; `basic`: it has no operands, so that `%` in its template stands for itself."""

    template: str
    outputs: tuple[AsmOperand, ...] = ()
    inputs: tuple[AsmOperand, ...] = ()
    basic: bool = False


def read_asm(span: Span) -> AsmText | None:
    """The text of the statement that begins at `span`; None if it cannot be read: macros may have made a part of it."""
    text = text_at(span, _LINES)
    start = _ASM.match(text)
    if start is None:
        return None
    parts: list[str] = []
    position = start.end()
    while match := _PART.match(text, position):
        parts.append(_unescaped(match[1] or "") + (match[2] or ""))
        position = match.end()
    template = "".join(parts)
    sections = _sections(text, position)
    if sections is None:
        return None
    if not sections:
        return AsmText(template, basic=True)
    operands = [_operands(section) for section in sections[:2]]
    outputs, inputs = (*operands, (), ())[:2]
    return None if outputs is None or inputs is None else AsmText(template, outputs, inputs)


def _unescaped(text: str) -> str:
    def value(match: re.Match[str]) -> str:
        code = match[1]
        if code[0] == "x":
            return chr(int(code[1:], 16) & 0xFF)
        return chr(int(code, 8) & 0xFF) if code[0].isdigit() else _ESCAPES.get(code, code)

    return _ESCAPE.sub(value, text)


def _sections(text: str, position: int) -> list[str] | None:
    """What stands between the colons behind the template; None if something else does."""
    found: list[str] = []
    depth = 0
    for match in _SKIP.finditer(text, position):
        part = match[0]
        if part == ")" and depth == 0:
            return found
        if part == ":" and depth == 0:
            found.append("")
        elif found:
            found[-1] += "" if part.startswith(("//", "/*")) else part
        elif part.strip(" \t\r\n\\") and not part.startswith(("//", "/*")):
            return None
        depth += part in ("(", "[", "{")
        depth -= part in (")", "]", "}")
    return None


def _operands(section: str) -> tuple[AsmOperand, ...] | None:
    """The operands in a section; None if it is not a list of constraints with expressions."""
    found: list[AsmOperand] = []
    position = 0
    section = section.replace("\\\n", " ")
    while section[position:].strip():
        match = _CONSTRAINT.match(section, position)
        if match is None:
            return None
        found.append(AsmOperand(match[1] or "", match[2]))
        position = _behind(section, match.end())
        rest = section[position:].lstrip()
        if rest and not rest.startswith(","):
            return None
        position = section.find(",", position) + 1 if rest else len(section)
    return tuple(found)


def _behind(text: str, position: int) -> int:
    """The place behind the parenthesis that is open at `position`."""
    depth = 1
    for match in _SKIP.finditer(text, position):
        depth += (match[0] == "(") - (match[0] == ")")
        if depth == 0:
            return match.end()
    return len(text)
