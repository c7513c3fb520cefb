"""Positions in the source."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final, TypeAlias

from msgspec import Struct

_Key: TypeAlias = tuple[tuple[str, int, int], ...]


OWN_HEADERS: Final = str(Path(__file__).parents[1] / "source" / "headers") + os.sep
"""Where the headers are that stand for those of CUDA and its libraries."""


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

    @property
    def of_user(self) -> bool:
        """Whether it is in a file of the user's, and not in a header of ours."""
        return not self.file.startswith(OWN_HEADERS)

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
