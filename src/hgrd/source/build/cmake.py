"""CMake flags: those that a CMakeLists.txt spells out, outside of conditions, functions and loops."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from msgspec import Struct

from hgrd.source.build.flags import Flags, flags_of, words_of

_NAME: Final = "CMakeLists.txt"
_COMMENT = re.compile(r"#\[\[.*?\]\]|#[^\n]*", re.S)
_CALL = re.compile(r"(\w+)\s*\(([^()]*(?:\([^()]*\)[^()]*)*)\)")
_OPENING: Final = ("if", "foreach", "while", "function", "macro")
_SCOPES: Final = frozenset({"PRIVATE", "PUBLIC", "INTERFACE", "BEFORE", "AFTER", "SYSTEM"})
# The target comes after `target_...`; a definition may have its -D or not.
_DEFINITIONS: Final = {"add_definitions": 0, "add_compile_definitions": 0, "target_compile_definitions": 1}
_DIRECTORIES: Final = {"include_directories": 0, "target_include_directories": 1}


class CMakeCall(Struct, frozen=True):
    """Call of a command, whose name is in small letters."""

    command: str
    words: tuple[str, ...]


def cmake_file_of(directory: str) -> str | None:
    """The directory's CMakeLists.txt."""
    path = Path(directory, _NAME)
    return str(path) if path.is_file() else None


def cmake_flags(directory: str) -> Flags:
    """Macros and include directories of all targets of the directory; one that still holds a `$` is dropped.

    Where targets differ, only what all of those that have any flags share.
    """
    everywhere: list[str] = []
    targets: dict[str, list[str]] = {}
    for command, words in _unconditional(read_calls(str(Path(directory, _NAME)))):
        of_target = _DEFINITIONS.get(command, _DIRECTORIES.get(command))
        if of_target is None or len(words) <= of_target:
            continue
        flag = "-D" if command in _DEFINITIONS else "-I"
        flags = [w if w.startswith("-") else flag + w for w in words[of_target:] if w not in _SCOPES]
        (targets.setdefault(words[0], []) if of_target else everywhere).extend(flags)
    shared = [flag for flag in dict.fromkeys(f for flags in targets.values() for f in flags) if _in_all(flag, targets)]
    return flags_of([*everywhere, *shared], directory)


def read_calls(file: str) -> tuple[CMakeCall, ...]:
    """The calls in a file of CMake, in their order; none if it cannot be read."""
    try:
        text = Path(file).read_text("utf-8", "replace")
    except OSError:
        return ()
    return tuple(
        CMakeCall(call[1].lower(), tuple(words_of(call[2]))) for call in _CALL.finditer(_COMMENT.sub("", text))
    )


def _in_all(flag: str, targets: dict[str, list[str]]) -> bool:
    return all(flag in flags for flags in targets.values())


def _unconditional(calls: Iterable[CMakeCall]) -> Iterator[tuple[str, tuple[str, ...]]]:
    depth = 0
    for call in calls:
        command = call.command
        if command in _OPENING:
            depth += 1
        elif command.startswith("end") and command[3:] in _OPENING:
            depth -= 1
        elif depth == 0:
            yield command, call.words
