"""Makefile flags: the compiler flags that a directory's Makefile spells out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import reduce
from pathlib import Path

from msgspec import Struct, field

from hgrd.source.build.flags import Flags, flags_of, words_of

_NAMES = ("GNUmakefile", "makefile", "Makefile")
_ASSIGNMENT = re.compile(r"\s*(?:export\s+|override\s+)?([\w.]+)\s*(\+=|\?=|::?=|=)\s*(.*)")
_CONDITION = re.compile(r"\s*(?P<word>ifn?eq|ifn?def)\b\s*(?P<rest>.*)")
_PAIR = re.compile(r"""\(\s*(?P<a>.*?)\s*,\s*(?P<b>.*?)\s*\)\s*$|(['"])(?P<c>.*?)\3\s*(['"])(?P<d>.*?)\5\s*$""")
_REFERENCE = re.compile(r"\$[({]([\w.]+)[)}]")
_FUNCTION = re.compile(r"\$\([^()]*\)|\$\{[^{}]*\}")  # with no other one in it
_UNKNOWN = "$"
_DEPTH = 10
_FLAGS = ("-D", "-U", "-I", "-std")


def makefile_of(directory: str) -> str | None:
    """The directory's Makefile, as make finds it."""
    return next((path for name in _NAMES if (path := str(Path(directory, name))) and Path(path).is_file()), None)


def makefile_flags(directory: str, file: str | None = None) -> Flags:
    """The flags that the directory's Makefile spells out; none without one.

    With a `file`, those that every rule which makes something of it uses (of all rules, where none names it or
    its suffix); else those of any recipe.  Where no recipe has any, those in the variables, unless there is a recipe
    for the file that says all by itself.  Assignments and conditionals are followed, functions and included makefiles
    are not: what a function gives is left out, and a flag that still holds a `$` is dropped.
    """
    make = read_make(directory)
    words = [word for rule in make.rules for word in make.words(rule)]
    if not any(word.startswith(_FLAGS) for word in words):
        if file is not None and any(_whole(make, rule) for rule in _naming(make, make.rules, Path(file))):
            return Flags()
        return flags_of([word for value in make.variables.values() for word in words_of(make.expand(value))], directory)
    if file is None:
        return flags_of(words, directory)
    compiling = [make.words(rule) for rule in _rules_for(make, Path(file))]
    return reduce(Flags.common, (flags_of(recipe, directory) for recipe in compiling)) if compiling else Flags()


class Rule(Struct):
    """A rule; `line` names targets and prerequisites."""

    line: str
    recipe: list[str] = field(default_factory=list[str])


class Make(Struct):
    """What a Makefile assigns, and its rules; values may still refer to variables and call functions."""

    variables: dict[str, str] = field(default_factory=dict[str, str])
    rules: list[Rule] = field(default_factory=list[Rule])

    def words(self, rule: Rule) -> list[str]:
        """The words of a recipe."""
        return [word for line in rule.recipe for word in words_of(self.expand(line))]

    def expand(self, text: str) -> str:
        """The text with the values of variables, and a `$` for each call of a function, whose result is unknown."""
        return _without_functions(self.referred(text))

    def referred(self, text: str) -> str:
        """The text with the values of variables."""
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
        self.variables[name] = self.referred(value) if ":" in operator else value

    def holds(self, word: str, rest: str) -> bool:
        if word.endswith("def"):
            return bool(self.variables.get(self.expand(rest).strip())) == (word == "ifdef")
        pair = _PAIR.match(rest)
        if pair is None:
            return False
        left, right = (pair["a"], pair["b"]) if pair["a"] is not None else (pair["c"], pair["d"])
        return (self.expand(left).strip() == self.expand(right).strip()) == (word == "ifeq")


def _without_functions(text: str) -> str:
    for _ in range(_DEPTH):
        text, number = _FUNCTION.subn(_UNKNOWN, text)
        if not number:
            break
    return text


def read_make(directory: str) -> Make:
    """The directory's Makefile; an empty one where there is none."""
    make = Make()
    try:
        text = Path(makefile_of(directory) or directory).read_text("utf-8", "replace")
    except OSError:
        return make
    for line in _active_lines(text, make):
        if line.startswith("\t"):
            if make.rules:
                make.rules[-1].recipe.append(line)
        elif assignment := _ASSIGNMENT.match(line):
            make.assign(assignment[1], assignment[2], assignment[3])
        elif ":" in line:
            make.rules.append(Rule(line))
    return make


def _rules_for(make: Make, file: Path) -> list[Rule]:
    """The rules with flags that name the file; else those for its suffix; else all with flags."""
    flagged = [rule for rule in make.rules if any(word.startswith(_FLAGS) for word in make.words(rule))]
    return _naming(make, flagged, file) or flagged


def _naming(make: Make, rules: list[Rule], file: Path) -> list[Rule]:
    """The rules that name the file; else those for its suffix."""
    for name in (file.name, f"%{file.suffix}", f"{file.suffix}.o"):
        naming = [rule for rule in rules if _names(make, rule, name)]
        if naming:
            return naming
    return []


def _whole(make: Make, rule: Rule) -> bool:
    """Whether a rule has a recipe, in which no function has a part."""
    recipe = "".join(make.expand(line) for line in rule.recipe)
    return bool(rule.recipe) and not re.search(r"\$(?![@<^+?*%$])", recipe)


def _names(make: Make, rule: Rule, name: str) -> bool:
    words = (*words_of(make.expand(rule.line).replace(":", " : ")), *make.words(rule))
    return any(word == name or word.endswith(f"/{name}") for word in words)


def _active_lines(text: str, make: Make) -> Iterator[str]:
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
