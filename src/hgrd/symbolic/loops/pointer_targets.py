"""Pointers that a loop sets to other objects: what one iteration does not write yet, the next one may."""

from __future__ import annotations

from collections.abc import Iterable

from hgrd.symbolic.memory.lvalues import reachable
from hgrd.symbolic.state import State
from hgrd.symbolic.values import OPAQUE, FloatValue, Pointer, Value
from hgrd.terms import Term


def led(after: State | None, cells: Iterable[tuple[Value, Value | None]]) -> tuple[Value, ...]:
    """What an iteration leaves in pointers, if that is in another object than at its start.

    `cells` are what each cell holds at the start and at the end (None: that is not known); `after` is the state there.
    """
    return () if after is None else tuple(v for start, last in cells if (v := _led(start, last)) is not None)


def _led(start: Value, last: Value | None) -> Value | None:
    match start, last:
        case _, Term() | FloatValue():
            return None
        case _, None:
            return None if isinstance(start, Term | FloatValue) else OPAQUE
        case Pointer(target=s), Pointer(target=t) if s == t:
            return None
        case _:
            return None if last == start else last


def reached(after: State | None, values: tuple[Value, ...]) -> set[str]:
    """The keys of the objects that the values lead to."""
    return set() if after is None else {target.key for target in reachable(after, values)}
