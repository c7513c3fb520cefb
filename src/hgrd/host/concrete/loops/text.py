"""Text of a translated loop: lines of Python, and names for what they use."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from msgspec import Struct, field

_INDENT: Final = "    "


class Untranslatable(Exception):  # noqa: N818
    """The loop does something that the translation does not know."""


class Text(Struct):
    """Lines so far."""

    lines: list[str] = field(default_factory=list[str])
    depth: int = 1
    names: int = 0

    def line(self, line: str) -> None:
        self.lines.append(_INDENT * self.depth + line)

    def name(self) -> str:
        """A name that is not used yet."""
        self.names += 1
        return f"t{self.names}"

    def kept(self, value: str) -> str:
        """A name for a value that is computed here."""
        name = self.name()
        self.line(f"{name} = {value}")
        return name

    @contextmanager
    def block(self, head: str) -> Generator[None]:
        """The lines of a block."""
        self.line(head)
        self.depth += 1
        yield
        self.line("pass")
        self.depth -= 1
