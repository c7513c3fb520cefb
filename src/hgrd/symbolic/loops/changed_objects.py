"""Objects that a loop may change: by name, through pointers, as elements of containers, in the next iteration."""

from __future__ import annotations

from collections.abc import Iterable

from hgrd.program.analysis.effects import Effects
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.memory.lvalues import SHARED_SPACES, reachable
from hgrd.symbolic.state import State
from hgrd.symbolic.values import OPAQUE, FloatValue, MemoryObject, Pointer, Value
from hgrd.terms import Term, const


def objects_changed(machine: Machine, state: State, effects: Effects) -> list[MemoryObject]:
    """Objects of this thread that exist before a loop with these effects, and that it may change."""
    found: dict[str, MemoryObject] = {}
    for variable in sorted(effects.assigned | effects.exposed | effects.arrays, key=lambda v: v.key):
        target = machine.object_of(variable)
        found[target.key] = target
    found |= {target.key: target for target in (_pointed_to(state) if effects.through_pointers else ())}
    elements = [target for key in found for target in state.elements.get(key, {}).values()]
    found |= {target.key: target for target in elements}
    return [t for t in found.values() if t.key in state.store and t.space not in SHARED_SPACES]


def _pointed_to(state: State) -> list[MemoryObject]:
    values = tuple(c.value for r in state.store.values() for c in r.cells.values())
    return reachable(state, tuple(v for v in values if not isinstance(v, Term | FloatValue)))


def lists_among(machine: Machine, state: State, objects: Iterable[MemoryObject]) -> set[str]:
    """The keys of those of the objects that are lists of known length, or have the elements of one."""
    length = machine.semantics.list_length
    return {o.key for o in objects if length(state, Pointer(o, const(0)), o.element) is not None}


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
