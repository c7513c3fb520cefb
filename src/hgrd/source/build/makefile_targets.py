"""Targets of a Makefile: programs and libraries, with the sources of the objects that they are made of."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from msgspec import Struct, field

from hgrd.source.build.flags import words_of
from hgrd.source.build.makefile import Make, read_make
from hgrd.source.build.targets import Target

_DEPTH: Final = 20
_SUFFIXES: Final = (".cu", ".cpp", ".cc", ".cxx", ".c")
_OBJECTS: Final = (".o", ".obj")
_LIBRARIES: Final = (".a", ".so", ".lib")
_NO_LINKING: Final = frozenset(
    {"-c", "-dc", "-dw", "--compile", "-ptx", "--ptx", "-cubin", "--cubin", "-E", "-M", "-MM"}
)
_OUTPUTS: Final = ("-o$", "-o=", "--output-file")
_CHANGED = re.compile(r"\$[({]([\w.]+):[^(){}]*[)}]")  # $(SOURCES:.cu=.o)
_CALL = re.compile(r"\$[({](\w+)\s([^(){}$]*)[)}]")  # with no other one in it
_OF_NAMES: Final = frozenset(
    [
        "patsubst",
        "subst",
        "addsuffix",
        "notdir",
        "basename",
        "sort",
        "strip",
        "filter",
        "filter-out",
        "wildcard",
        "abspath",
        "realpath",
    ]
)


def makefile_targets(directory: str) -> tuple[Target, ...]:
    """The programs and libraries that a directory's Makefile links.

    Functions that change how files are called give the files as they were: objects stand for their sources anyway.
    """
    reader = _Reader(os.path.normpath(directory), read_make(directory))
    return tuple(
        Target(name, tuple(reader.sources(made, 0)), tuple(reader.libraries(made)))
        for name, made in reader.made.items()
        if "%" not in name and made.linked(name)
    )


class _Made(Struct):
    """How a target is made: the words of its prerequisites and of each line of its recipe."""

    prerequisites: list[str] = field(default_factory=list[str])
    recipe: list[list[str]] = field(default_factory=list[list[str]])

    def linked(self, name: str) -> bool:
        """Whether it is a program or a library."""
        if name.endswith(_LIBRARIES):
            return True
        return not name.endswith(_OBJECTS) and (not self.recipe or any(_links(line) for line in self.recipe))

    def words(self) -> Iterator[str]:
        """Prerequisites, and what the lines that link name besides."""
        yield from self.prerequisites
        for line in self.recipe:
            if _links(line):
                yield from line


def _links(line: list[str]) -> bool:
    return any(w == "-o" or w.startswith(_OUTPUTS) for w in line) and _NO_LINKING.isdisjoint(line)


class _Reader:
    def __init__(self, directory: str, make: Make) -> None:
        self.directory = directory
        self.made: dict[str, _Made] = {}
        for rule in make.rules:
            targets, _, prerequisites = _with_names(make, rule.line).partition(":")
            first, _, recipe = prerequisites.lstrip(":").partition(";")
            lines = [words_of(_with_names(make, line)) for line in (recipe, *rule.recipe) if line.strip()]
            for target in targets.split():
                made = self.made.setdefault(os.path.normpath(target), _Made())
                made.prerequisites += first.split()
                made.recipe += lines

    def sources(self, made: _Made, depth: int) -> Iterator[str]:
        """Paths that may be sources of what is made so; those that are not there do no harm."""
        for word in made.words():
            if word.endswith(_SUFFIXES):
                yield str(Path(self.directory, word))
            elif word.endswith(_OBJECTS) and depth < _DEPTH:
                yield from self._of_object(os.path.normpath(word), depth)

    def libraries(self, made: _Made) -> Iterator[str]:
        """The libraries that it links, by the names of their targets."""
        for word in made.words():
            if word.startswith("-l"):
                names = (f"lib{word[2:]}{suffix}" for suffix in _LIBRARIES)
                yield from (target for name in names for target in self.made if Path(target).name == name)
            elif word.endswith(_LIBRARIES):
                yield os.path.normpath(word)

    def _of_object(self, name: str, depth: int) -> Iterator[str]:
        if (made := self.made.get(name)) is not None and (found := list(self._compiled(made, depth))):
            yield from found
            return
        for pattern, made in self.made.items():
            if (stem := _stem(name, pattern)) is not None:
                paths = (word.replace("%", stem) for word in made.prerequisites)
                yield from (str(Path(self.directory, path)) for path in paths if path.endswith(_SUFFIXES))
        yield from (str(Path(self.directory, name).with_suffix(suffix)) for suffix in _SUFFIXES)

    def _compiled(self, made: _Made, depth: int) -> Iterator[str]:
        words = [*made.prerequisites, *(word for line in made.recipe for word in line)]
        yield from self.sources(_Made(words), depth + 1)


def _stem(name: str, pattern: str) -> str | None:
    """What `%` stands for where a name has the form of a pattern."""
    before, percent, after = pattern.partition("%")
    if percent and name.startswith(before) and name.endswith(after) and len(name) > len(before) + len(after):
        return name[len(before) : len(name) - len(after)]
    return None


def _with_names(make: Make, text: str) -> str:
    """The text with variables expanded; of functions of names the names, nothing of all others."""
    for _ in range(_DEPTH):
        expanded = _CALL.sub(_names, make.referred(_CHANGED.sub(r"$(\1)", text)))
        if expanded == text:
            break
        text = expanded
    return text


def _names(call: re.Match[str]) -> str:
    name, arguments = call[1], call[2].split(",")
    if name == "addprefix":
        prefix, names = arguments[0].strip(), arguments[-1].split()
        return " ".join((*names, *(prefix + name for name in names)))
    return arguments[-1] if name in _OF_NAMES else ""
