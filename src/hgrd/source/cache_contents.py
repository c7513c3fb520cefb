"""Contents of the cache: what is kept of earlier runs, how much of it there is, and how it is thrown away."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from msgspec import Struct

from hgrd.source.cache_files import PRECOMPILED, PROGRAMS, VERDICTS

_KEPT: Final = {PRECOMPILED: "precompiled headers", PROGRAMS: "parsed programs", VERDICTS: "verdicts"}


class Part(Struct, frozen=True):
    """A part of the cache; `what` is kept in it, in so many files that take so many bytes."""

    what: str
    files: int
    size: int


def contents(cache_dir: Path) -> tuple[Part, ...]:
    """All parts of a cache, those without anything too."""
    return tuple(_part(what, cache_dir / folder) for folder, what in _KEPT.items())


def clear(cache_dir: Path) -> None:
    """Throws away all that is kept, and nothing else; what other processes have open stays readable for them."""
    for folder in _KEPT:
        for file in _files(cache_dir / folder):
            file.unlink(missing_ok=True)


def _part(what: str, folder: Path) -> Part:
    sizes = [file.stat().st_size for file in _files(folder)]
    return Part(what, len(sizes), sum(sizes))


def _files(folder: Path) -> list[Path]:
    return [file for file in folder.rglob("*") if file.is_file()] if folder.is_dir() else []
