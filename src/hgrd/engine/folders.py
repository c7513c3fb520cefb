"""Folders that are searched for sources, and what is left out of them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

from msgspec import Struct

_NOT_OWN: Final = (
    *("build", "build-*", "build_*", "cmake-build-*", "CMakeFiles", "_deps", "site-packages", "node_modules"),
    *("third_party", "third-party", "thirdparty", "3rdparty", "3rd_party", "external", "externals", "extern"),
    *("vendor", "vendored", "submodules", "venv"),
)
_SUBMODULE_PATH = re.compile(r"^\s*path\s*=\s*(.+?)\s*$", re.MULTILINE)


class Selection(Struct, frozen=True):
    """What of a directory is searched: nothing that a pattern in `exclude` names, and `vendored` code if asked for.

    Vendored are the folders of other projects and of builds, by their names, and submodules of git.
    """

    exclude: tuple[str, ...] = ()
    vendored: bool = False

    def excludes(self, path: str) -> bool:
        """Whether a pattern names a path below the directory, or the last part of it."""
        return any(fnmatchcase(path, p.rstrip("/")) or fnmatchcase(Path(path).name, p) for p in self.exclude)


EVERYTHING_OWN: Final = Selection()


class Found(Struct, frozen=True):
    """The files below a directory, and the vendored folders that were not searched."""

    files: tuple[str, ...]
    left_out: tuple[str, ...]


def search(directory: str, selection: Selection) -> Found:
    """The files below a directory but those in hidden folders, in the order of their paths."""
    submodules = frozenset[str]() if selection.vendored else _submodules(directory)
    files: list[str] = []
    left_out: list[str] = []
    for folder, inner, names in os.walk(directory):
        kept: list[str] = []
        for path in _joined(folder, sorted(inner)):
            if Path(path).name.startswith(".") or selection.excludes(os.path.relpath(path, directory)):
                continue
            if not selection.vendored and (path in submodules or _vendored(path)):
                left_out.append(path)
            else:
                kept.append(Path(path).name)
        inner[:] = kept
        files += (file for file in _joined(folder, names) if not selection.excludes(os.path.relpath(file, directory)))
    return Found(tuple(sorted(files)), tuple(sorted(left_out)))


def _joined(folder: str, names: Iterable[str]) -> Iterator[str]:
    return (str(Path(folder) / name) for name in names)


def _vendored(folder: str) -> bool:
    name = Path(folder).name
    return any(fnmatchcase(name, p) for p in _NOT_OWN) or any(
        Path(folder, mark).is_file()
        for mark in (".git", "CMakeCache.txt")  # a submodule has a file .git
    )


def _submodules(directory: str) -> frozenset[str]:
    try:
        text = Path(directory, ".gitmodules").read_text("utf-8", "replace")
    except OSError:
        return frozenset()
    return frozenset(str(Path(directory, path)) for path in _SUBMODULE_PATH.findall(text))
