"""Targets of pointers that a loop sets to other objects: the next iteration may write there."""

from __future__ import annotations

from collections.abc import Iterable

from hgrd.symbolic.memory.lvalues import reachable
from hgrd.symbolic.state import State
from hgrd.symbolic.values import OPAQUE, FloatValue, Pointer, Value
from hgrd.terms import Term


def moved_pointers(after: State | None, cells: Iterable[tuple[Value, Value | None]]) -> tuple[Value, ...]:
    """The pointers that an iteration leaves in cells, where they point to another object than at its start.

    `cells` are the values at the start and at the end (None: unknown) of each cell; `after` is the state at the end
    (None: it is never reached).
    """
    return () if after is None else tuple(v for start, last in cells if (v := _moved_pointer(start, last)) is not None)


def _moved_pointer(start: Value, last: Value | None) -> Value | None:
    match start, last:
        case _, Term() | FloatValue():
            return None
        case _, None:
            return None if isinstance(start, Term | FloatValue) else OPAQUE
        case Pointer(target=s), Pointer(target=t) if s == t:
            return None
        case _:
            return None if last == start else last


def reached_objects(after: State | None, values: tuple[Value, ...]) -> set[str]:
    """The keys of the objects that are reachable from the values in `after`."""
    return set() if after is None else {target.key for target in reachable(after, values)}
