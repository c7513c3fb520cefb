"""Targets of a build: what is linked together."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

from msgspec import Struct

_ANYWHERE_BELOW: Final = "/**/"


class Target(Struct, frozen=True):
    """Program or library: `sources` are absolute paths, with `*` in a name and `/**/` for any folders.

    `links` are the names of other targets of the same build.
    """

    name: str
    sources: tuple[str, ...]
    links: tuple[str, ...] = ()


def linked_sources(targets: Sequence[Target]) -> Iterator[tuple[str, ...]]:
    """The sources of each target that no other one links, together with those of all targets that it links."""
    named = {target.name: target for target in targets}
    inner = {link for target in targets for link in target.links if link != target.name}
    covered: set[str] = set()
    for target in (*(t for t in targets if t.name not in inner), *targets):
        if target.name in covered:
            continue
        whole = _with_links(target, named)
        covered |= whole.keys()
        yield tuple(dict.fromkeys(source for part in whole.values() for source in part.sources))


def matching(sources: Iterable[str], files: Iterable[str]) -> frozenset[str]:
    """The files, given by their real paths, that sources of targets name."""
    names = {os.path.normpath(source) for source in sources}
    patterns = [name for name in names if "*" in name or "?" in name]
    return frozenset(file for file in files if file in names or any(_matches(file, p) for p in patterns))


def _with_links(target: Target, named: dict[str, Target]) -> dict[str, Target]:
    found: dict[str, Target] = {}
    pending = [target]
    while pending:
        current = pending.pop()
        if current.name not in found:
            found[current.name] = current
            pending += [named[link] for link in current.links if link in named]
    return found


def _matches(file: str, pattern: str) -> bool:
    above, below, name = pattern.partition(_ANYWHERE_BELOW)
    if below:
        return file.startswith(f"{above}/") and fnmatchcase(Path(file).name, name)
    return fnmatchcase(str(Path(file).parent), str(Path(pattern).parent)) and fnmatchcase(
        Path(file).name, Path(pattern).name
    )
