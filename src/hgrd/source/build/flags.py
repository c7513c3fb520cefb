"""Compiler flags that decide how a file is read, from a command line."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from hgrd.source.options import SourceOptions

_RESPONSE_FILES = ("--options-file", "-optf")
_DEPTH = 4
# The spellings of nvcc, clang and gcc; the value follows in the same word, after a `=`, or in the next word.
_SPELLINGS: Final = {
    "-D": ("--define-macro", "-D"),
    "-U": ("--undefine-macro", "-U"),
    "-I": ("--include-path", "--system-include", "-isystem", "-iquote", "-idirafter", "-I"),
    "-std": ("--std", "-std"),
    "-include": ("--pre-include", "-include"),
    "-x": ("--x", "-x"),
    "-Xcompiler": ("--compiler-options", "-Xcompiler"),
}


class Flags(Struct, frozen=True):
    """The flags that affect the meaning of a file; directories and headers relative to the working directory.

    Everything else (architectures, optimisation, warnings, outputs) is dropped.
    """

    defines: tuple[str, ...] = ()
    undefines: tuple[str, ...] = ()
    include_dirs: tuple[str, ...] = ()
    standard: str | None = None
    language: str | None = None
    headers: tuple[str, ...] = ()

    @property
    def macros(self) -> tuple[str, ...]:
        """The macros that are defined and undefined, as compilers spell them."""
        return (*(f"-D{define}" for define in self.defines), *(f"-U{name}" for name in self.undefines))

    def under(self, options: SourceOptions) -> SourceOptions:
        """The options with these flags below them: what the user has said goes first."""
        said = {define.partition("=")[0] for define in options.defines} | set(options.undefines)
        return replace(
            options,
            defines=(*(d for d in self.defines if d.partition("=")[0] not in said), *options.defines),
            undefines=(*(name for name in self.undefines if name not in said), *options.undefines),
            include_dirs=tuple(dict.fromkeys((*options.include_dirs, *self.include_dirs))),
            standard=options.standard or self.standard,
            language=options.language or self.language,
            extra_flags=(*options.extra_flags, *(word for header in self.headers for word in ("-include", header))),
        )

    def common(self, other: Flags) -> Flags:
        """The flags that both have."""
        return Flags(
            tuple(d for d in self.defines if d in other.defines),
            tuple(u for u in self.undefines if u in other.undefines),
            tuple(d for d in self.include_dirs if d in other.include_dirs),
            self.standard if self.standard == other.standard else None,
            self.language if self.language == other.language else None,
            tuple(h for h in self.headers if h in other.headers),
        )


def flags_of(words: Sequence[str], directory: str) -> Flags:
    """The flags in a command line that is run in `directory`; one that still holds a `$` is dropped."""
    found: dict[str, dict[str, None]] = {flag: {} for flag in _SPELLINGS}
    for flag, value in _flags(words, directory, 0):
        if "$" not in value:
            found[flag][value] = None

    def last(flag: str) -> str | None:
        return next(reversed(found[flag]), None)

    def paths(flag: str) -> tuple[str, ...]:
        return tuple(str(Path(directory, name)) for name in found[flag])

    language = {"cu": "cuda", "cuda": "cuda", "c++": "c++", "c": "c"}.get(last("-x") or "")
    return Flags(tuple(found["-D"]), tuple(found["-U"]), paths("-I"), last("-std"), language, paths("-include"))


def words_of(text: str) -> list[str]:
    """The words of a command line as a shell splits it; by blanks where a shell would not."""
    try:
        return shlex.split(text, comments=False)
    except ValueError:
        return text.split()


def _flags(words: Sequence[str], directory: str, depth: int) -> Iterator[tuple[str, str]]:
    """Flags by their short names, with their values; response files and flags for the host's compiler included."""
    rest = iter(words)
    for word in rest:
        if word in _RESPONSE_FILES:
            yield from _in_file(next(rest, ""), directory, depth)
            continue
        spelled = _spelled(word)
        if spelled is None:
            continue
        flag, value = spelled
        value = value or next(rest, "")
        if flag == "-Xcompiler":
            yield from _flags(value.split(","), directory, depth)
        elif value:
            yield flag, value


def _spelled(word: str) -> tuple[str, str] | None:
    for flag, spellings in _SPELLINGS.items():
        for spelling in spellings:
            if word == spelling:
                return flag, ""
            if word.startswith(f"{spelling}="):
                return flag, word[len(spelling) + 1 :]
            if spelling in ("-D", "-U", "-I", "-isystem") and word.startswith(spelling):
                return flag, word[len(spelling) :]
    return None


def _in_file(name: str, directory: str, depth: int) -> Iterator[tuple[str, str]]:
    try:
        text = Path(directory, name).read_text("utf-8", "replace")
    except OSError:
        return
    if depth < _DEPTH:
        yield from _flags(words_of(text), directory, depth + 1)
