"""Targets of CMake: what CMakeLists.txt files add, with the sources and libraries that they name."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct, field

from hgrd.source.build.cmake import CMakeCall, cmake_file_of, read_calls
from hgrd.source.build.targets import Target

_MOST_CALLS: Final = 20_000
_DEPTH: Final = 20
_REFERENCE = re.compile(r"\$\{([^${}]*)\}")
_OBJECTS = re.compile(r"\$<TARGET_OBJECTS:([^<>]+)>")
_ADDING = re.compile(r"(?:\w+_)?add_(?:executable|library|module)")
_CLOSING: Final = {"foreach": "endforeach", "function": "endfunction", "macro": "endmacro"}
_LINKING: Final = ("target_link_libraries", "cuda_link_libraries")
_NO_SOURCES: Final = frozenset(
    [
        "STATIC",
        "SHARED",
        "MODULE",
        "OBJECT",
        "INTERFACE",
        "WIN32",
        "MACOSX_BUNDLE",
        "EXCLUDE_FROM_ALL",
        "PUBLIC",
        "PRIVATE",
    ]
)


def cmake_targets(directory: str, around: str) -> tuple[tuple[Target, ...], frozenset[str]]:
    """The targets of a directory's CMakeLists.txt and of those that it adds, and the directories of all of them.

    Of what it adds, only directories below or above `around` count.

    Both branches of a condition are taken, one after the other; loops over lists, functions and macros are followed.  A
    pattern of files stays one.  A variable that CMake itself or the machine sets is empty.
    """
    reader = _Reader(around)
    top = os.path.normpath(directory)
    reader.enter(top, _Scope({"CMAKE_SOURCE_DIR": [top]}), 0)
    targets = tuple(
        Target(name, tuple(sources), tuple(reader.aliases.get(link, link) for link in reader.links.get(name, ())))
        for name, sources in reader.sources.items()
    )
    return targets, frozenset(reader.directories)


class _Scope(Struct):
    variables: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    parent: _Scope | None = None

    def inner(self, **variables: list[str]) -> _Scope:
        """A scope inside of this one: of a function or a directory."""
        return _Scope({**self.variables, **variables}, self)

    @property
    def directory(self) -> str:
        return self.variables["CMAKE_CURRENT_SOURCE_DIR"][0]

    def path(self, word: str) -> str:
        return os.path.normpath(Path(self.directory, word))

    def get(self, name: str) -> list[str]:
        return self.variables.get(name, [])

    def expand(self, words: Iterable[str]) -> list[str]:
        """Words with the values of variables, of which a list gives several."""
        return [part for word in words for part in self._parts(word)]

    def _parts(self, word: str) -> list[str]:
        if "${" not in word:
            return [word]
        for _ in range(_DEPTH):
            word, number = _REFERENCE.subn(lambda found: ";".join(self.get(found[1])), word)
            if not number:
                break
        return [part for part in word.split(";") if part]


class _Body(Struct, frozen=True):
    """Body of a function or a macro."""

    parameters: tuple[str, ...]
    calls: Sequence[CMakeCall]
    macro: bool


class _Reader:
    def __init__(self, around: str) -> None:
        self.around = around
        self.sources: dict[str, list[str]] = {}
        self.links: dict[str, list[str]] = {}
        self.aliases: dict[str, str] = {}
        self.bodies: dict[str, _Body] = {}
        self.directories: set[str] = set()
        self.calls = 0

    def enter(self, directory: str, scope: _Scope, depth: int) -> None:
        """Read the CMakeLists.txt of a directory, once."""
        if directory in self.directories or not (_within(directory, self.around) or _within(self.around, directory)):
            return
        lists = cmake_file_of(directory)
        if lists is None:
            return
        self.directories.add(directory)
        here = [directory]
        self.run(read_calls(lists), scope.inner(CMAKE_CURRENT_SOURCE_DIR=here, CMAKE_CURRENT_LIST_DIR=here), depth + 1)

    def run(self, calls: Sequence[CMakeCall], scope: _Scope, depth: int) -> None:
        """Follow calls, one after the other."""
        at = 0
        while at < len(calls) and self.calls < _MOST_CALLS and depth < _DEPTH:
            self.calls += 1
            call, words = calls[at], scope.expand(calls[at].words)
            at += 1
            if call.command not in _CLOSING:
                self.follow(call.command, words, scope, depth)
                continue
            body = _block(calls[at:], call.command)
            at += len(body)
            if call.command == "foreach":
                for value in _values(words[1:], scope):
                    scope.variables[words[0]] = [value]
                    self.run(body, scope, depth + 1)
            elif words:
                self.bodies[words[0].lower()] = _Body(tuple(words[1:]), body, call.command == "macro")

    def follow(self, command: str, words: list[str], scope: _Scope, depth: int) -> None:
        """Do what a call of a command says that opens no block."""
        match command, words:
            case _ if command in self.bodies:
                self._expand(self.bodies[command], words, scope, depth)
            case "project", _:
                scope.variables["PROJECT_SOURCE_DIR"] = [scope.directory]
            case "add_subdirectory", [folder, *_]:
                self.enter(scope.path(folder), scope, depth)
            case "include", [file, *_]:
                self.run(read_calls(scope.path(file)), scope, depth + 1)
            case "target_sources", [target, *sources]:
                self._add(self.aliases.get(target, target), sources, scope)
            case _, [target, *links] if command in _LINKING:
                self._link(self.aliases.get(target, target), links)
            case _, [name, "ALIAS", real] if _ADDING.fullmatch(command):
                self.aliases[name] = self.aliases.get(real, real)
            case _, [name, *sources] if _ADDING.fullmatch(command) and "IMPORTED" not in sources:
                self._add(name, sources, scope)
            case _:
                _set_variables(command, words, scope)

    def _expand(self, body: _Body, words: list[str], scope: _Scope, depth: int) -> None:
        given = {name: [word] for name, word in zip(body.parameters, words, strict=False)}
        inner = scope.inner(**given, ARGN=words[len(body.parameters) :], ARGV=words)
        self.run(body.calls, inner, depth + 1)
        if body.macro:
            bound = {*given, "ARGN", "ARGV"}
            scope.variables.update({name: value for name, value in inner.variables.items() if name not in bound})

    def _add(self, target: str, words: Iterable[str], scope: _Scope) -> None:
        known = self.sources.setdefault(target, [])
        for word in words:
            if objects := _OBJECTS.fullmatch(word):
                self._link(target, [objects[1]])
            elif word not in _NO_SOURCES and "$" not in word:
                known.append(scope.path(word))

    def _link(self, target: str, links: Iterable[str]) -> None:
        self.links.setdefault(target, []).extend(links)


def _within(directory: str, outer: str) -> bool:
    return f"{directory}/".startswith(f"{outer.rstrip(os.sep)}/")


def _set_variables(command: str, words: list[str], scope: _Scope) -> None:
    match command, words:
        case "set", [name, *values, "PARENT_SCOPE"]:
            (scope.parent or scope).variables[name] = values
        case "set", [name, *values]:
            scope.variables[name] = values[: values.index("CACHE")] if "CACHE" in values else values
        case "list", ["APPEND" | "PREPEND", name, *values]:
            scope.variables[name] = [*scope.get(name), *values]
        case "file", ["GLOB", name, *patterns]:
            scope.variables[name] = [scope.path(p) for p in _patterns(patterns)]
        case "file", ["GLOB_RECURSE", name, *patterns]:
            paths = (Path(scope.path(p)) for p in _patterns(patterns))
            scope.variables[name] = [f"{path.parent}/**/{path.name}" for path in paths]
        case "aux_source_directory", [folder, name]:
            scope.variables[name] = [*scope.get(name), scope.path(f"{folder}/*")]
        case "cmake_parse_arguments", [prefix, _, _, _, *_]:
            _parse_arguments(prefix, words[1:4], words[4:], scope)
        case _:
            pass


def _parse_arguments(prefix: str, keywords: Iterable[str], words: Iterable[str], scope: _Scope) -> None:
    """Sort words by the keywords before them."""
    known = {name for names in keywords for name in names.split(";")}
    name = f"{prefix}_UNPARSED_ARGUMENTS"
    for word in words:
        if word in known:
            name = f"{prefix}_{word}"
        scope.variables[name] = [] if word in known else [*scope.get(name), word]


def _block(calls: Sequence[CMakeCall], opening: str) -> Sequence[CMakeCall]:
    """The calls up to the one that closes a block."""
    depth = 1
    for at, call in enumerate(calls):
        depth += (call.command == opening) - (call.command == _CLOSING[opening])
        if depth == 0:
            return calls[:at]
    return calls


def _values(words: list[str], scope: _Scope) -> list[str]:
    """What a loop goes over: words, or the elements of lists."""
    if words[:2] != ["IN", "LISTS"]:
        return words[2:] if words[:1] == ["IN"] else words
    return [value for name in words[2:] for value in ([] if name == "ITEMS" else scope.get(name) or [name])]


def _patterns(words: Iterable[str]) -> Iterator[str]:
    rest = iter(words)
    for word in rest:
        if word in ("RELATIVE", "LIST_DIRECTORIES"):
            next(rest, None)
        elif word not in ("CONFIGURE_DEPENDS", "FOLLOW_SYMLINKS"):
            yield word
