"""Positions in the source."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

_Key: TypeAlias = tuple[tuple[str, int, int], ...]


class Span(Struct, frozen=True):
    """Source position; line and column count from 1.

    Inside a macro, this is where the macro is used (the position that an editor shows), and `spelling` is where
    the text stands in the macro's definition; None: not inside a macro.  What stands in its argument as a whole
    is not inside of it.
    """

    file: str
    line: int
    column: int
    spelling: Span | None = None

    def __lt__(self, other: Span) -> bool:
        return self._key() < other._key()

    def __le__(self, other: Span) -> bool:
        return self._key() <= other._key()

    def __gt__(self, other: Span) -> bool:
        return self._key() > other._key()

    def __ge__(self, other: Span) -> bool:
        return self._key() >= other._key()

    def _key(self) -> _Key:
        here = (self.file, self.line, self.column)
        return (here,) if self.spelling is None else (here, *self.spelling._key())

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


NOWHERE = Span("<builtin>", 0, 0)
