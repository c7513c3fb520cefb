"""Conditions whose right operands change memory, where they are reached: `if (!file || !read(file, &header)) return;`.

Each way through them has a state of its own, so that nothing is lost of what holds behind the test.
"""

from __future__ import annotations

from hgrd.program.expressions import Convert, Expression, Logical, Unary, UnaryOp
from hgrd.symbolic.execution.expressions import branches
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.state import State, merge


def changes_between(machine: Machine, condition: Expression) -> bool:
    """Whether a part of a condition that may be left out changes memory."""
    match condition:
        case Logical(left=left, right=right):
            return changes_between(machine, left) or changes_between(machine, right) or _changes_memory(machine, right)
        case Unary(op=UnaryOp.NOT, operand=operand) | Convert(operand=operand):
            return changes_between(machine, operand)
        case _:
            return False


def _changes_memory(machine: Machine, expression: Expression) -> bool:
    done = machine.effects.of(expression)
    return done.through_pointers or bool(done.assigned or done.exposed or done.arrays)


def ways(machine: Machine, state: State, condition: Expression) -> tuple[State, State]:
    """The states in which a condition holds, and in which it does not; `state` is used up."""
    match condition:
        case Logical(conjunction=conjunction, left=left, right=right):
            holds, fails = ways(machine, state, left)
            go, skip = (holds, fails) if conjunction else (fails, holds)
            if not go.alive:
                return (go, skip) if conjunction else (skip, go)
            holds, fails = ways(machine, go, right)
            return (holds, _either(skip, fails)) if conjunction else (_either(skip, holds), fails)
        case Unary(op=UnaryOp.NOT, operand=operand):
            holds, fails = ways(machine, state, operand)
            return fails, holds
        case _:
            return branches(state, machine.condition(state, condition), condition.span)


def _either(one: State, other: State) -> State:
    return merge((one, other)) or one
