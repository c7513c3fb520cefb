"""Includes of a file, found in its text: user files, system headers, headers that are missing."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from msgspec import Struct

_LEVELS = 5
_HEADER_FOLDERS = ("", "include", "inc", "common", "common/inc", "Common", "src", "utils")
_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include(?:_next)?[ \t]*(<[^>\n]+>|"[^"\n]+")', re.M)


class Includes(Struct, frozen=True):
    """The includes of a file, directly and through the user's other files.

    `texts` are the user's files by path, the file itself first; `system` and `missing` are spelled as in
    the source; `nearby` are directories that no option names but that hold headers which would be missing.
    Conditional compilation is not looked at: a header included under some condition counts.
    """

    texts: Mapping[str, bytes]
    system: tuple[str, ...]
    missing: tuple[str, ...]
    nearby: tuple[str, ...] = ()

    @property
    def text(self) -> bytes:
        """All of the user's files, one after the other."""
        return b"\n".join(self.texts.values())


def scan(path: str, user_dirs: tuple[str, ...], system_dirs: tuple[str, ...], *, nearby: bool = False) -> Includes:
    """Follow the includes of `path` through the user's files.

    A quoted header is looked for beside its includer, then both kinds in `user_dirs` and `system_dirs`; at
    last, if `nearby`, where projects keep headers in the folders above.
    """
    texts: dict[str, bytes] = {}
    system: dict[str, None] = {}
    missing: dict[str, None] = {}
    discovered: dict[str, None] = {}
    pending = [os.path.normpath(path)]
    while pending:
        file = pending.pop()
        if file in texts:
            continue
        texts[file] = _read(file)
        found: list[str] = []
        for quoted, header in _spelled(texts[file]):
            beside = (str(Path(file).parent),) if quoted else ()
            if user_file := _find(header, (*beside, *user_dirs, *discovered)):
                found.append(user_file)
            elif _find(header, system_dirs):
                system[header] = None
            elif nearby and (directory := _directory_nearby(header, Path(file).parent)):
                discovered[directory] = None
                found.append(os.path.normpath(Path(directory, header)))
            else:
                missing[header] = None
        pending.extend(reversed(found))
    return Includes(texts, tuple(system), tuple(missing), tuple(discovered))


class IncludedFiles:
    """The user's files that files include, as `scan` finds them with `nearby`; each is read once."""

    def __init__(self, user_dirs: tuple[str, ...]) -> None:
        self._user_dirs = user_dirs
        self._nearby = cache(_directory_nearby)
        self._direct = cache(self._included_by)

    def below(self, path: str) -> frozenset[str]:
        """The real paths of a file and of all that it includes, itself or through others."""
        found: set[str] = set()
        pending = [os.path.realpath(path)]
        while pending:
            file = pending.pop()
            if file not in found:
                found.add(file)
                pending += self._direct(file)
        return frozenset(found)

    def _included_by(self, file: str) -> tuple[str, ...]:
        folder = Path(file).parent
        found: list[str] = []
        for quoted, header in _spelled(_read(file)):
            user_file = _find(header, ((str(folder),) if quoted else ()) + self._user_dirs)
            if user_file is None and "." in header and (directory := self._nearby(header, folder)):
                user_file = str(Path(directory, header))
            found += [] if user_file is None else [os.path.realpath(user_file)]
        return tuple(found)


def _directory_nearby(header: str, start: Path) -> str | None:
    """The header directory of the project around `start` that has this header."""
    above = start.absolute()
    for folder in (above, *above.parents)[:_LEVELS]:
        directories = tuple(str(folder / name) for name in _HEADER_FOLDERS)
        for directory in directories:
            if _find(header, (directory,)):
                return directory
        if (folder / ".git").exists():
            break
    return None


def _spelled(text: bytes) -> Iterator[tuple[bool, str]]:
    for match in _INCLUDE.finditer(text):
        spelled = match[1].decode("utf-8", "replace")
        yield spelled.startswith('"'), spelled[1:-1].strip()


def _find(header: str, dirs: tuple[str, ...]) -> str | None:
    for directory in dirs:
        candidate = Path(directory, header)
        try:
            if candidate.is_file():
                return os.path.normpath(candidate)
        except (OSError, ValueError):  # no name that a file can have
            return None
    return None


def _read(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError:
        return b""


def write_shadows(headers: tuple[str, ...], directory: Path) -> bool:
    """Put an empty file into `directory` for every header, so that its absence stops nothing.

    False if one is out of reach: `..` in the name may lead out of the directory.
    """
    directory.mkdir(parents=True, exist_ok=True)
    complete = True
    for header in headers:
        shadow = Path(os.path.normpath(directory / header))
        if directory not in shadow.parents:
            complete = False
            continue
        try:
            shadow.parent.mkdir(parents=True, exist_ok=True)
            shadow.touch()
        except (OSError, ValueError):
            complete = False
    return complete
