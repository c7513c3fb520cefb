"""Given pointers: names for what code gets, which it may return, or store in memory."""

from __future__ import annotations

from collections.abc import Iterable, Set

from hgrd.host.memory.holding_types import is_open, may_hold
from hgrd.host.memory.pointer_origins import IN, named_in
from hgrd.program.types import Type
from hgrd.symbolic.memory.lvalues import reachable
from hgrd.symbolic.state import State
from hgrd.symbolic.values import Composite, MemorySpace, Value, pointed_to


def sources_of(
    state: State, arguments: Iterable[tuple[Value, Type | None]], shared: Set[str], *, local: bool = False
) -> set[str]:
    """What code that gets these arguments, each with its type, may return, or store in memory.

    That is no local variable, unless it is `shared`, by its key, or (`local`) may hold pointers.
    """
    found: set[str] = set()
    for value, type_ in arguments:
        if isinstance(value, Composite):
            found.update(named_in(value))
        for target in reachable(state, (value,)) if may_hold(type_) else ():
            own = target.space is MemorySpace.LOCAL and target.key.rpartition("@")[0] not in shared
            if not own or (local and may_hold(target.element)):
                found.add(target.key)
            if may_hold(target.element) and is_open(state, target):
                found.add(IN + target.key)
    return found


def held_in(values: Iterable[Value]) -> set[str]:
    """Names for what the objects that values lead to hold: all the pointers that a copy of them stores."""
    return {f"{IN}{t.key}" for value in values for t in pointed_to(value) if may_hold(t.element)}
