"""Loops that are unrolled: run iteration by iteration.

Those that fill local arrays a small constant number of times, and those in which constants decide every branch:

    for (bit = 31; bit >= 0; bit--) if (1000 & (1 << bit)) break;
"""

from __future__ import annotations

from hgrd.program.analysis.effects import Effects
from hgrd.program.statements import DoWhile, Loop
from hgrd.program.walk import nodes
from hgrd.symbolic.loops.iteration import LoopShape, run_iteration, speculation, speculative_test
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.memory.lvalues import SHARED_SPACES
from hgrd.symbolic.state import State, merge
from hgrd.terms import FALSE, TRUE

_MOST = 64  # iterations


def unroll(machine: Machine, state: State, shape: LoopShape, effects: Effects) -> State | None:
    """The state after a loop that is run iteration by iteration; None if it is not such a loop."""
    if not shape.test_first or shape.test is None:
        return None
    if _fills_arrays(machine, state, effects):
        count = _count
    elif machine.semantics.runs_concretely(effects) and not _has_loops(shape):
        count = _settled
    else:
        return None
    with speculation(machine):
        trips = count(machine, state.copy(), shape)
    if trips is None:
        return None
    out: list[State] = []
    current: State | None = state
    for _ in range(trips):
        if current is None:
            break
        current, breaks = run_iteration(machine, current, shape)
        out.extend(breaks)
    if current is not None and current.alive:
        speculative_test(machine, current, shape.test)  # for its side effects
    ends = [*out, *([current] if current is not None else [])]
    merged = merge(ends)
    if merged is None:
        state.kill(shape.span)
        return state
    return merged


def _fills_arrays(machine: Machine, state: State, effects: Effects) -> bool:
    objects = [machine.object_of(v) for v in effects.arrays if machine.semantics.unrolls_array(v)]
    return any(target.space not in SHARED_SPACES and target.key in state.store for target in objects)


def _has_loops(shape: LoopShape) -> bool:
    return any(isinstance(node, Loop | DoWhile) for node in nodes(shape.body))


def _settled(machine: Machine, state: State, shape: LoopShape) -> int | None:
    """The number of iterations that are begun; None if there is more than one path through them, or too many."""
    assert shape.test is not None
    current: State | None = state
    for trips in range(_MOST + 1):
        if current is None or not current.alive:
            return trips
        test = speculative_test(machine, current.copy(), shape.test)
        if test is FALSE:
            return trips
        if test is not TRUE:
            return None
        returned = len(machine.frame.returns)
        current, breaks = run_iteration(machine, current, shape)
        goes_on = current is not None and current.alive
        if goes_on + sum(b.alive for b in breaks) + len(machine.frame.returns) - returned > 1:
            return None
    return None


def _count(machine: Machine, state: State, shape: LoopShape) -> int | None:
    """The constant number of iterations; None if there is none within the limit."""
    assert shape.test is not None
    for trips in range(_MOST + 1):
        test = machine.condition(state.copy(), shape.test)
        if test is FALSE:
            return trips
        if test is not TRUE:
            return None
        after, _ = run_iteration(machine, state, shape)
        if after is None:
            return None
        state = after
    return None
