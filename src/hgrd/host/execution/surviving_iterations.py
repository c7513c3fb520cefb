"""Earlier iterations of a host loop around a launch did not end the program: the conditions that follow."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from hgrd.symbolic.names import Names
from hgrd.symbolic.state import Condition, ConditionKind
from hgrd.terms import Symbol, Term, add, conj, const, disj, le, negate, substitute, symbols_of, var
from hgrd.terms.rewrite import arrays_of

FIRST: Final = 8  # iterations that get a condition of their own, besides the previous one


class EnclosingLoop(Struct, frozen=True):
    """A loop that the run is in; `path` are the conditions at the start of its body, or (if not `begun`) before it."""

    binder: Symbol
    path: tuple[Condition, ...]
    begun: bool = False


def survived(loop: EnclosingLoop, path: tuple[Condition, ...], names: Names) -> Iterator[tuple[Condition, Condition]]:
    """Conditions on the first iterations and on the previous one that hold at the end of `path`, inside the loop.

    Each comes with the condition of `path` that it is an instance of.  An iteration that leaves the program (or fails
    an assertion) is the last one.  Conditions on memory, or on values that each iteration has of its own, give nothing.
    """
    depth = len(loop.path)
    if path[:depth] != loop.path:
        return
    first = names.index[loop.binder.name]
    binder = var(loop.binder)
    on_the_way: list[Term] = []
    varies = False  # a condition on the way may depend on the iteration
    for c in path[depth:]:
        if c.incidental:
            continue
        if not (c.ended or c.kind is ConditionKind.ASSERT):
            on_the_way.append(c.term)
            varies = varies or loop.binder in c.term.symbols
            continue
        if not (varies or loop.binder in c.term.symbols):
            continue
        stays = disj(negate(conj(*on_the_way)), c.term)
        symbols = symbols_of(stays)
        own = any(names.index.get(s.name, 0) > first for s in symbols)
        if loop.binder not in symbols or own or arrays_of(stays):
            continue
        for number in map(const, range(min(FIRST, loop.binder.high))):
            yield replace(c, term=disj(le(binder, number), *substitute((stays,), {loop.binder: number}))), c
        before = {loop.binder: add(binder, const(-1))}
        yield replace(c, term=disj(le(binder, const(0)), *substitute((stays,), before))), c
