"""Lines of text with tones: one rendering for files and pipes, one for terminals."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import TextIO, TypeAlias


class Tone(Enum):
    """Role of a piece of text; the values are its style in a terminal."""

    PLAIN = ""
    STRONG = "bold"
    ERROR = "bold red"
    WARNING = "bold magenta"
    NOTE = "bold cyan"
    GOOD = "bold green"
    CARET = "green"
    FAINT = "dim"


Piece: TypeAlias = tuple[Tone, str]
Line: TypeAlias = tuple[Piece, ...]


def line(*pieces: str | Piece) -> Line:
    """One line made of pieces; plain strings have no tone."""
    return tuple((Tone.PLAIN, p) if isinstance(p, str) else p for p in pieces)


def plain(lines: Iterable[Line]) -> str:
    """The text without tones: the same on every machine."""
    return "".join("".join(text for _, text in pieces).rstrip() + "\n" for pieces in lines)


def write(lines: Iterable[Line], stream: TextIO, color: bool) -> None:
    """Write lines to a stream, with colours if asked for."""
    if not color:
        stream.write(plain(lines))
        return
    from rich.console import Console  # only for colours: it takes long to load
    from rich.text import Text

    console = Console(file=stream, force_terminal=True, highlight=False, markup=False, emoji=False, soft_wrap=True)
    for pieces in lines:
        console.print(Text.assemble(*((text, tone.value) for tone, text in pieces)))
