"""Loops that are run iteration by iteration: those that fill local arrays a small constant number of times."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hgrd.symbolic.effects import Effects
from hgrd.symbolic.iteration import Shape, one_iteration, unrecorded
from hgrd.symbolic.places import SHARED_SPACES
from hgrd.symbolic.state import State, merge
from hgrd.terms import FALSE, TRUE

if TYPE_CHECKING:
    from hgrd.symbolic.machine import Machine

_MOST = 64  # iterations


def unroll(machine: Machine, state: State, shape: Shape, effects: Effects) -> State | None:
    """Runs a loop that fills local arrays iteration by iteration, if its trip count is a small constant."""
    if not shape.test_first or shape.test is None or not _fills_arrays(machine, state, effects):
        return None
    with unrecorded(machine):
        trips = _count(machine, state.copy(), shape)
    if trips is None:
        return None
    out: list[State] = []
    current: State | None = state
    for _ in range(trips):
        if current is None:
            break
        current, breaks = one_iteration(machine, current, shape)
        out.extend(breaks)
    ends = [*out, *([current] if current is not None else [])]
    merged = merge(ends)
    if merged is None:
        state.kill(shape.span)
        return state
    return merged


def _fills_arrays(machine: Machine, state: State, effects: Effects) -> bool:
    objects = [machine.object_of(v) for v in effects.arrays if machine.semantics.unrolls(v)]
    return any(target.space not in SHARED_SPACES and target.key in state.store for target in objects)


def _count(machine: Machine, state: State, shape: Shape) -> int | None:
    """The constant number of iterations, if there is one within the limit."""
    from hgrd.symbolic.expressions import condition

    assert shape.test is not None
    for trips in range(_MOST + 1):
        test = condition(machine, state.copy(), shape.test)
        if test is FALSE:
            return trips
        if test is not TRUE:
            return None
        after, _ = one_iteration(machine, state, shape)
        if after is None:
            return None
        state = after
    return None
