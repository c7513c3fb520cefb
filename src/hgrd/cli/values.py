"""Values of options on the command line: read from text, with a message for people where that makes no sense."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from typing import TypeVar

from hgrd.findings.model import Level
from hgrd.findings.options import Extent
from hgrd.findings.rules import RULES
from hgrd.host.kinds import CLASSES, FactKind

T = TypeVar("T")

LEVELS = {level.value: level for level in Level}
FACT_CLASSES = {kind.value.replace(" ", "-"): kind for kind in CLASSES}
_PARAM = re.compile(r"([A-Za-z_]\w*(?:(?:\.|->)\w+)*)=(-?(?:0[xX][0-9a-fA-F]+|[0-9]+))")
_MOST = 2**31 - 1  # threads or blocks along an axis


def extent(what: str) -> Callable[[str], Extent]:
    def read(text: str) -> Extent:
        parts = [part.strip() for part in text.split(",")]
        if len(parts) > 3:
            raise argparse.ArgumentTypeError(f"'{text}' has more than three extents")
        x, y, z = (*(_size(part, what) for part in parts), 1, 1)[:3]
        return x, y, z

    return read


def _size(text: str, what: str) -> int | None:
    if text == "*":
        return None
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"'{text}' is neither a number nor *")
    if int(text) == 0:
        raise argparse.ArgumentTypeError(f"a {what} has at least one element along each axis, not 0")
    if int(text) > _MOST:
        raise argparse.ArgumentTypeError(f"{text} is more than CUDA allows ({_MOST})")
    return int(text)


def parameter(text: str) -> tuple[str, int]:
    found = _PARAM.fullmatch(text)
    if found is None:
        raise argparse.ArgumentTypeError(f"'{text}' is not NAME=INTEGER")
    return found[1], int(found[2], 0) if "x" in found[2].lower() else int(found[2])


def version(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d{1,3})(?:\.(\d))?", text)
    if found is None:
        raise argparse.ArgumentTypeError(f"'{text}' is no version of CUDA, such as 12.4")
    return int(found[1]), int(found[2] or 0)


def architecture(text: str) -> int:
    found = re.fullmatch(r"(?:sm_|compute_)?(\d{2,3})[af]?", text)
    if found is None:
        raise argparse.ArgumentTypeError(f"'{text}' is no architecture, such as sm_90")
    return 10 * int(found[1])


def sizes(what: str) -> Callable[[str], tuple[int, int, int]]:
    def read(text: str) -> tuple[int, int, int]:
        x, y, z = extent(what)(text)
        if x is None or y is None or z is None:
            raise argparse.ArgumentTypeError("a run needs numbers, not *")
        return x, y, z

    return read


def number(text: str) -> tuple[str, float]:
    name, value = named(text)
    try:
        return name, int(value, 0)
    except ValueError:
        pass
    try:
        return name, float(value)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{value}' is not a number") from None


def named(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (name and equals and value):
        raise argparse.ArgumentTypeError(f"'{text}' is not NAME=VALUE")
    return name, value


def revision(text: str) -> str:
    if not text.strip():
        raise argparse.ArgumentTypeError("the revision is empty")
    return text


def condition(text: str) -> str:
    if not text.strip():
        raise argparse.ArgumentTypeError("the condition is empty")
    return text


def levels(text: str) -> tuple[Level, ...]:
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name not in LEVELS:
            raise argparse.ArgumentTypeError(f"'{name}' is none of {', '.join(LEVELS)}")
    return tuple(LEVELS[name] for name in names)


def fact_class(text: str) -> FactKind:
    if text not in FACT_CLASSES:
        raise argparse.ArgumentTypeError(f"'{text}' is none of {', '.join(FACT_CLASSES)}")
    return FACT_CLASSES[text]


def code(text: str) -> str:
    """The code of a rule; its number is enough, and case does not matter."""
    known = {name.removeprefix("HGRD").lstrip("0"): name for name in RULES}
    found = known.get(text.upper().removeprefix("HGRD").lstrip("0"))
    if found is None:
        raise argparse.ArgumentTypeError(f"there is no rule '{text}'; there are {', '.join(RULES)}")
    return found


def positive(convert: Callable[[str], T]) -> Callable[[str], T]:
    def read(text: str) -> T:
        try:
            value = convert(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"'{text}' is not a number") from None
        if not 0 < float(text) < float("inf"):
            raise argparse.ArgumentTypeError(f"{text} is not a positive number")
        return value

    return read
