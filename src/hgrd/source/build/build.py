"""Builds of projects, which say how files are compiled: compile_commands.json, Makefile, CMakeLists.txt."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, cast

from msgspec import Struct, field

from hgrd.source.build.cmake import cmake_file_of, cmake_flags
from hgrd.source.build.flags import Flags, flags_of, words_of
from hgrd.source.build.makefile import makefile_flags, makefile_of

_DATABASE: Final = "compile_commands.json"


class BuildError(Exception):
    """A build directory without usable flags; the message is for people."""


class Build(Struct, frozen=True):
    """`commands` are the flags of a compilation database by the files' real paths.

    `roots` are directories that were given as programs: below them, the Makefile or CMakeLists.txt next to a
    file, or above it, counts for files that the database does not have.
    """

    commands: Mapping[str, Flags] = field(default_factory=dict[str, Flags])
    roots: tuple[str, ...] = ()

    def flags(self, file: str) -> tuple[Flags, str]:
        """The flags for a file, and the Makefile or CMakeLists.txt that they have been guessed from, or ""."""
        real = os.path.realpath(file)
        known = self.commands.get(real)
        if known is not None:
            return known, ""
        return next(filter(None, (_spelled_out(directory, real) for directory in self._around(real))), (Flags(), ""))

    def _around(self, file: str) -> Iterator[str]:
        """The directories from the file's up to the root it was found below."""
        roots = [root for root in map(os.path.realpath, self.roots) if file.startswith(root.rstrip(os.sep) + os.sep)]
        if not roots:
            return
        top = min(roots, key=len)
        directory = str(Path(file).parent)
        while len(directory) >= len(top):
            yield directory
            if directory == top:
                return
            directory = str(Path(directory).parent)


def _spelled_out(directory: str, file: str) -> tuple[Flags, str] | None:
    """The flags for a file from a directory's Makefile, or else its CMakeLists.txt; None if there is neither."""
    if (makefile := makefile_of(directory)) is not None:
        return makefile_flags(directory, file), makefile
    if (lists := cmake_file_of(directory)) is not None:
        return cmake_flags(directory), lists
    return None


NO_BUILD: Final = Build()


def read_build(build_dir: str | None, paths: Iterable[str]) -> Build:
    """The build of `build_dir` (a directory with a compilation database, or the database) and directories in `paths`.

    Raises BuildError if `build_dir` has no database that can be read.
    """
    roots = tuple(path for path in paths if Path(path).is_dir())
    return Build(_database(build_dir) if build_dir is not None else {}, roots)


def _database(build_dir: str) -> dict[str, Flags]:
    import orjson  # not before it is needed

    path = Path(build_dir, _DATABASE) if Path(build_dir).is_dir() else Path(build_dir)
    try:
        entries: Any = orjson.loads(path.read_bytes())
    except FileNotFoundError:
        hint = "cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON writes one, and so does bear -- make"
        raise BuildError(f"{path}: no such file ({hint})") from None
    except OSError as error:
        raise BuildError(f"{path}: cannot be read: {error.strerror}") from None
    except orjson.JSONDecodeError as error:
        raise BuildError(f"{path}: not a compilation database: {error}") from None
    if not isinstance(entries, list):
        raise BuildError(f"{path}: not a compilation database: it is no list")
    found: dict[str, Flags] = {}
    for entry in cast("list[Any]", entries):
        match entry:
            case {"file": str(file), "directory": str(directory)}:
                flags = flags_of(_words(entry), directory)
                found.setdefault(os.path.realpath(Path(directory, file)), flags)
            case _:
                raise BuildError(f"{path}: not a compilation database: an entry without a file or a directory")
    return found


def _words(entry: Mapping[str, Any]) -> list[str]:
    arguments, command = entry.get("arguments"), entry.get("command")
    if isinstance(arguments, list):
        return [str(word) for word in cast("list[Any]", arguments)]
    return words_of(str(command or ""))
