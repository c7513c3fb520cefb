"""Programs that builds around some files link: of CMakeLists.txt, Makefile and setup.py."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from hgrd.source.build.cmake_targets import cmake_targets
from hgrd.source.build.makefile_targets import makefile_targets
from hgrd.source.build.setup_targets import setup_targets
from hgrd.source.build.targets import linked_sources, matching

_LEVELS: Final = 5  # above a directory that is given


def linked_programs(directory: str, files: Iterable[str]) -> tuple[frozenset[str], ...]:
    """What is linked together of files below a directory, both by their real paths.

    The descriptions of builds that count are those in the folders of the files and above them, up to the root of the
    repository.
    """
    known = tuple(files)
    programs = (matching(sources, known) for sources in _sources(directory, _folders_around(directory, known)))
    return tuple(dict.fromkeys(program for program in programs if program))


def _sources(directory: str, folders: Iterable[str]) -> Iterator[tuple[str, ...]]:
    read: set[str] = set()
    for folder in folders:
        if folder not in read:
            targets, added = cmake_targets(folder, directory)
            read |= added
            yield from linked_sources(targets)
        yield from linked_sources(makefile_targets(folder))
        for setup in sorted(Path(folder).glob("setup*.py")):
            yield from linked_sources(setup_targets(str(setup)))


def _folders_around(directory: str, files: Iterable[str]) -> list[str]:
    """The folders that may hold descriptions of builds, outer ones before inner ones."""
    inside = {directory, *(str(Path(file).parent) for file in files)}
    inside |= {str(above) for folder in inside for above in Path(folder).parents if above.is_relative_to(directory)}
    return [*reversed(list(_above(directory))), *sorted(inside, key=lambda folder: (folder.count(os.sep), folder))]


def _above(directory: str) -> Iterator[str]:
    folder = Path(directory)
    for above in folder.parents[:_LEVELS]:
        if (folder / ".git").exists():
            return
        yield str(above)
        folder = above
