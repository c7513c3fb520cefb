"""Enumerators of the shipped headers: clang names them where they are used, without their values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final

_COMMENT: Final = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_ENUM: Final = re.compile(
    r"\benum\s+(?:class\s+|struct\s+)?(?P<tag>\w*)\s*(?::[^{};]*)?\{(?P<body>[^{}]*)\}\s*(?P<name>\w*)"
    r"|__HGRD_ENUM\((?P<made>\w+),(?P<list>[^()]*)\)"
)
_NAMED: Final = re.compile(r"\s*(\w+)\s*(?:=\s*(.*\S))?\s*", re.DOTALL)
_NUMBER: Final = re.compile(r"(-?(?:0[xX][0-9a-fA-F]+|\d+))[uUlL]*")
_SHIFTED: Final = re.compile(r"\(?\s*1[uUlL]*\s*<<\s*(\d+)\s*\)?")


@cache
def library_enumerators(headers: Path) -> Mapping[tuple[str, str], int]:
    """The values of the enumerators in the headers below a folder, by the type and the name.

    Not those to which two headers give different values.
    """
    found: dict[tuple[str, str], int] = {}
    unclear: set[tuple[str, str]] = set()
    for path in sorted(headers.rglob("*.h")):
        for key, value in enumerators_in(path.read_text()):
            if found.setdefault(key, value) != value:
                unclear.add(key)
    return {key: value for key, value in found.items() if key not in unclear}


def enumerators_in(text: str) -> Iterator[tuple[tuple[str, str], int]]:
    """The enumerators of types with a name in the text of a header, by type and name.

    Their values are numbers, or those of enumerators before.
    """
    known: dict[str, int] = {}
    for enum in _ENUM.finditer(_COMMENT.sub(" ", text)):
        types = [t for t in (enum["tag"], enum["name"], enum["made"]) if t]
        values = _values(enum["body"] or enum["list"] or "", known)
        known |= values
        yield from (((t, name), value) for name, value in values.items() for t in types)


def _values(body: str, before: Mapping[str, int]) -> dict[str, int]:
    """The values of the enumerators in a list, which may be those of enumerators `before` it."""
    found: dict[str, int] = {}
    following: int | None = 0
    for named in filter(None, map(_NAMED.fullmatch, body.split(","))):
        value = following if named[2] is None else _value(named[2], {**before, **found})
        following = None if value is None else value + 1
        if value is not None:
            found[named[1]] = value
    return found


def _value(text: str, known: Mapping[str, int]) -> int | None:
    if number := _NUMBER.fullmatch(text):
        return int(number[1], 0)
    if shifted := _SHIFTED.fullmatch(text):
        return 1 << int(shifted[1])
    return known.get(text)
