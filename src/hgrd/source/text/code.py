"""Code of a file as text: where statements, brackets and functions end, without a compiler."""

from __future__ import annotations

import re
from itertools import accumulate

from msgspec import Struct

from hgrd.program.span import Span
from hgrd.source.text.missing_macros import blanked

_WORD = re.compile(r"[A-Za-z_]\w*")
_CLOSING = {"(": ")", "[": "]", "{": "}"}


class CodeText(Struct, frozen=True):
    """A file without comments and literals, and where its lines begin."""

    code: str
    lines: tuple[int, ...]

    def at(self, span: Span) -> int:
        return self.lines[min(span.line, len(self.lines)) - 1] + span.column - 1

    def skip(self, position: int) -> int:
        """The position after white space."""
        while position < len(self.code) and self.code[position].isspace():
            position += 1
        return position

    def after_bracket(self, position: int) -> int:
        """The position after the bracket that closes the one at `position`."""
        open_: list[str] = []
        for i in range(position, len(self.code)):
            c = self.code[i]
            if c in _CLOSING:
                open_.append(_CLOSING[c])
            elif c in ")]}":
                if not open_ or open_.pop() != c:
                    break
                if not open_:
                    return i + 1
        return len(self.code)

    def find(self, character: str, position: int) -> int:
        """The next position of a character outside of brackets; the end of the text if there is none."""
        while position < len(self.code) and self.code[position] != character:
            position = self.after_bracket(position) if self.code[position] in _CLOSING else position + 1
        return position

    def statement_end(self, position: int) -> int:
        """The position after the statement that begins at `position`."""
        position = self.skip(position)
        word = _WORD.match(self.code, position)
        if self.code[position : position + 1] == "{":
            return self.after_bracket(position)
        match word[0] if word else "":
            case "if" | "for" | "while" | "switch":
                end = self.statement_end(self.after_bracket(self.find("(", position)))
                following = self.skip(end)
                goes_on = word is not None and word[0] == "if" and re.match(r"else\b", self.code[following:])
                return self.statement_end(following + len("else")) if goes_on else end
            case "do":
                return self.find(";", self.statement_end(position + len("do"))) + 1
            case _:
                return self.find(";", position) + 1

    def function_end(self, position: int) -> int:
        """The position after the body of the function whose name stands at `position`."""
        start = self.find("{", position)
        initializes = ":" in self.code[self.find("(", position) : start].replace("::", "")
        end = self.after_bracket(start)
        while initializes and self.code[self.skip(end) : self.skip(end) + 1] in (",", "{"):
            end = self.after_bracket(self.find("{", end))
        return end

    def words(self, begin: int, end: int) -> frozenset[str]:
        """The names in a part of the text, and in the expansions of this file's macros there."""
        found: set[str] = set()
        todo = set(_WORD.findall(self.code[begin:end]))
        while todo:
            word = todo.pop()
            if word not in found:
                found.add(word)
                macro = rf"^[ \t]*#[ \t]*define[ \t]+{word}\b((?:[^\n]*\\\n)*[^\n]*)"
                for definition in re.finditer(macro, self.code, re.MULTILINE):
                    todo.update(_WORD.findall(definition[1]))
        return frozenset(found)


def code_text(text: bytes) -> CodeText:
    """The code of a file with this text."""
    decoded = text.decode("latin-1")
    starts = (0, *accumulate(map(len, decoded.splitlines(keepends=True))))
    return CodeText(blanked(decoded), starts)


_DEVICE = re.compile(r"\b__(?:global|device)__\b")


def is_host_function(text: bytes, span: Span) -> bool:
    """Whether the function whose name stands at `span` is the host's, with a body that can be left out."""
    code = code_text(text)
    name = code.at(span)
    start = max(code.code.rfind(c, 0, name) for c in ";}")
    signature = code.code[start + 1 : code.find("{", name)]
    plain = not re.search(r"^[ \t]*#", signature, re.MULTILINE) and ":" not in signature.replace("::", "")
    return _WORD.match(code.code, name) is not None and plain and _DEVICE.search(signature) is None


def without_body(text: bytes, span: Span) -> bytes:
    """The text with nothing in the body of the function whose name stands at `span`, every line still a line."""
    code = code_text(text)
    begin = code.find("{", code.at(span))
    end = code.after_bracket(begin)
    return text[: begin + 1] + re.sub(rb"[^\n]", b" ", text[begin + 1 : end - 1]) + text[end - 1 :]
