"""Loops that are run iteration by iteration.

Those that fill local arrays a small constant number of times, and those in which constants decide all that happens:

    for (bit = 31; bit >= 0; bit--) if (1000 & (1 << bit)) break;
"""

from __future__ import annotations

from hgrd.program.analysis.effects import Effects
from hgrd.program.statements import DoWhile, Loop
from hgrd.program.walk import nodes
from hgrd.symbolic.loops.iteration import Shape, one_iteration, silently, unrecorded
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.memory.lvalues import SHARED_SPACES
from hgrd.symbolic.state import State, merge
from hgrd.terms import FALSE, TRUE

_MOST = 64  # iterations


def unroll(machine: Machine, state: State, shape: Shape, effects: Effects) -> State | None:
    """Runs a loop of a small constant number of iterations one by one, if it is one of these.  Else None."""
    if not shape.test_first or shape.test is None:
        return None
    if _fills_arrays(machine, state, effects):
        count = _count
    elif machine.semantics.runs_concretely(effects) and not _has_loops(shape):
        count = _settled
    else:
        return None
    with unrecorded(machine):
        trips = count(machine, state.copy(), shape)
    if trips is None:
        return None
    out: list[State] = []
    current: State | None = state
    for _ in range(trips):
        if current is None:
            break
        current, breaks = one_iteration(machine, current, shape)
        out.extend(breaks)
    if current is not None and current.alive:
        silently(machine, current, shape.test)  # for what else it does
    ends = [*out, *([current] if current is not None else [])]
    merged = merge(ends)
    if merged is None:
        state.kill(shape.span)
        return state
    return merged


def _fills_arrays(machine: Machine, state: State, effects: Effects) -> bool:
    objects = [machine.object_of(v) for v in effects.arrays if machine.semantics.unrolls_array(v)]
    return any(target.space not in SHARED_SPACES and target.key in state.store for target in objects)


def _has_loops(shape: Shape) -> bool:
    return any(isinstance(node, Loop | DoWhile) for node in nodes(shape.body))


def _settled(machine: Machine, state: State, shape: Shape) -> int | None:
    """The number of iterations that are begun, where there is one way only through all of them, within the limit."""
    assert shape.test is not None
    current: State | None = state
    for trips in range(_MOST + 1):
        if current is None or not current.alive:
            return trips
        test = silently(machine, current.copy(), shape.test)
        if test is FALSE:
            return trips
        if test is not TRUE:
            return None
        returned = len(machine.frame.returns)
        current, breaks = one_iteration(machine, current, shape)
        goes_on = current is not None and current.alive
        if goes_on + sum(b.alive for b in breaks) + len(machine.frame.returns) - returned > 1:
            return None
    return None


def _count(machine: Machine, state: State, shape: Shape) -> int | None:
    """The constant number of iterations, if there is one within the limit."""
    assert shape.test is not None
    for trips in range(_MOST + 1):
        test = machine.condition(state.copy(), shape.test)
        if test is FALSE:
            return trips
        if test is not TRUE:
            return None
        after, _ = one_iteration(machine, state, shape)
        if after is None:
            return None
        state = after
    return None
