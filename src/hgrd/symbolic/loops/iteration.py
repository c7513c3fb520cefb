"""One iteration of a loop, run from a given state: recorded, or speculatively to see what it does."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from msgspec import Struct

from hgrd.program import statements as ir
from hgrd.program.expressions import Expression
from hgrd.program.span import Span
from hgrd.symbolic.exits import IterationExits
from hgrd.symbolic.machine import Exits, Machine
from hgrd.symbolic.state import ConditionKind, State, merge
from hgrd.terms import Term


class LoopShape(Struct, frozen=True):
    """A loop as the machine runs it: `test` before the body, or (do-while) after it; None: there is no test."""

    test: Expression | None
    step: Expression | None
    body: ir.Statement
    test_first: bool
    span: Span


@contextmanager
def speculation(machine: Machine) -> Generator[None, None, None]:
    """A context in which runs are speculative: no accesses are recorded, and returns from the function are dropped."""
    depth = len(machine.frame.returns)
    machine.speculative += 1
    try:
        yield
    finally:
        machine.speculative -= 1
        del machine.frame.returns[depth:]


def speculative_test(machine: Machine, state: State, test: Expression) -> Term:
    """A test as a term, run speculatively."""
    with speculation(machine):
        return machine.condition(state, test)


def speculative_iteration(machine: Machine, state: State, shape: LoopShape) -> IterationExits:
    """The exits of one iteration, run speculatively."""
    depth, since = len(machine.frame.returns), machine.since
    machine.since = since or machine.names.mark()
    try:
        with speculation(machine):
            after, breaks = run_iteration(machine, state, shape)
            return IterationExits(after, breaks, len(machine.frame.returns) > depth)
    finally:
        machine.since = since


def run_iteration(machine: Machine, state: State, shape: LoopShape) -> tuple[State | None, list[State]]:
    """The end and the breaks of one iteration from `state`, with the side effects of a test after the body."""
    after, breaks = run_to_test(machine, state, shape)
    if not shape.test_first and shape.test is not None and after is not None:
        machine.condition(after, shape.test)
    return after, breaks


def run_to_test(machine: Machine, state: State, shape: LoopShape) -> tuple[State | None, list[State]]:
    """The end and the breaks of one iteration from `state`, up to a test after the body."""
    if shape.test_first and shape.test is not None:
        state.assume(machine.condition(state, shape.test), ConditionKind.LOOP, shape.test.span)
    machine.semantics.begin_body(machine, state)
    exits = Exits()
    end = machine.execute(state, shape.body, exits) if state.alive else state
    after = merge([end, *exits.continues])
    if after is not None and shape.step is not None:
        machine.evaluate(after, shape.step)
    return after, exits.breaks
