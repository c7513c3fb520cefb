"""The compiler flags that a directory's Makefile spells out."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

_NAMES = ("GNUmakefile", "makefile", "Makefile")
_ASSIGNMENT = re.compile(r"\s*(?:export\s+|override\s+)?([\w.]+)\s*(\+=|\?=|::?=|=)\s*(.*)")
_CONDITION = re.compile(r"\s*(?P<word>ifn?eq|ifn?def)\b\s*(?P<rest>.*)")
_PAIR = re.compile(r"""\(\s*(?P<a>.*?)\s*,\s*(?P<b>.*?)\s*\)\s*$|(['"])(?P<c>.*?)\3\s*(['"])(?P<d>.*?)\5\s*$""")
_REFERENCE = re.compile(r"\$[({]([\w.]+)[)}]")
_DEPTH = 10


@dataclass(frozen=True, slots=True)
class MakeFlags:
    """Literal `-D`, `-U`, `-I` and `-std=` flags; `include_dirs` are relative to nothing but the working directory."""

    defines: tuple[str, ...] = ()
    undefines: tuple[str, ...] = ()
    include_dirs: tuple[str, ...] = ()
    standard: str | None = None


def makefile_flags(directory: str) -> MakeFlags:
    """The flags in the recipes (or else in the variables) of the directory's Makefile; none without one.

    Assignments and conditionals are followed, functions, pattern rules and included makefiles are not: a
    flag that still holds a `$` is dropped.
    """
    for name in _NAMES:
        try:
            text = Path(directory, name).read_text("utf-8", "replace")
        except OSError:
            continue
        return _flags_of(text, directory)
    return MakeFlags()


def makefile_defines(directory: str) -> tuple[str, ...]:
    """The macros that the directory's Makefile defines: "NAME" or "NAME=VALUE"."""
    return makefile_flags(directory).defines


@dataclass(slots=True)
class _Make:
    variables: dict[str, str] = field(default_factory=dict[str, str])
    recipes: list[str] = field(default_factory=list[str])

    def expand(self, text: str) -> str:
        for _ in range(_DEPTH):
            expanded = _REFERENCE.sub(lambda found: self.variables.get(found[1], ""), text)
            if expanded == text:
                break
            text = expanded
        return text

    def assign(self, name: str, operator: str, value: str) -> None:
        old = self.variables.get(name)
        if operator == "+=":
            value = f"{old or ''} {value}".strip()
        if operator == "?=" and old is not None:
            return
        self.variables[name] = self.expand(value) if ":" in operator else value

    def holds(self, word: str, rest: str) -> bool:
        if word.endswith("def"):
            return bool(self.variables.get(self.expand(rest).strip())) == (word == "ifdef")
        pair = _PAIR.match(rest)
        if pair is None:
            return False
        left, right = (pair["a"], pair["b"]) if pair["a"] is not None else (pair["c"], pair["d"])
        return (self.expand(left).strip() == self.expand(right).strip()) == (word == "ifeq")


def _flags_of(text: str, directory: str) -> MakeFlags:
    make = _Make()
    for line in _active_lines(text, make):
        if line.startswith("\t"):
            make.recipes.append(line)
        elif assignment := _ASSIGNMENT.match(line):
            make.assign(assignment[1], assignment[2], assignment[3])
    words = [word for recipe in make.recipes for word in _words(make.expand(recipe))]
    if not any(word.startswith(("-D", "-I", "-std")) for word in words):
        words = [word for value in make.variables.values() for word in _words(make.expand(value))]
    return _sorted_out(words, directory)


def _active_lines(text: str, make: _Make) -> Iterator[str]:
    """The lines that make would look at, conditionals decided by the assignments so far."""
    taken: list[bool] = []
    for raw in text.replace("\r\n", "\n").replace("\\\n", " ").split("\n"):
        line = raw if raw.startswith("\t") else raw.split("#", 1)[0].rstrip()
        stripped = line.strip()
        if condition := _CONDITION.match(line):
            taken.append(make.holds(condition["word"], condition["rest"]))
        elif stripped.startswith("else") and taken:
            nested = _CONDITION.match(stripped[len("else") :])
            taken[-1] = not taken[-1] and (nested is None or make.holds(nested["word"], nested["rest"]))
        elif stripped.startswith("endif") and taken:
            taken.pop()
        elif all(taken):
            yield line


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text, comments=False)
    except ValueError:
        return text.split()


def _sorted_out(words: list[str], directory: str) -> MakeFlags:
    found: dict[str, dict[str, None]] = {"-D": {}, "-U": {}, "-I": {}, "-std=": {}}
    pending = ""
    for word in words:
        flag = pending or next((prefix for prefix in found if word.startswith(prefix)), "")
        value = word if pending else word[len(flag) :]
        pending = flag if flag and not value else ""
        if flag and value and "$" not in value:
            found[flag][value] = None
    include_dirs = tuple(str(Path(directory, name)) for name in found["-I"])
    standard = next(iter(found["-std="]), None)
    return MakeFlags(tuple(found["-D"]), tuple(found["-U"]), include_dirs, standard)
