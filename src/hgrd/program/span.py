"""Positions in the source."""

from __future__ import annotations

from msgspec import Struct


class Span(Struct, frozen=True, order=True):
    """Source position; line and column count from 1.

    Inside a macro, this is where the macro is used (the position that an editor shows), and `spelling` is where
    the text stands in the macro's definition; None: not inside a macro.
    """

    file: str
    line: int
    column: int
    spelling: Span | None = None

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


NOWHERE = Span("<builtin>", 0, 0)
