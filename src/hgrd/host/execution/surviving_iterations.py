"""What the iterations of a host loop before that of a launch must have been like: none has ended the program."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from hgrd.symbolic.names import Names
from hgrd.symbolic.state import Condition, ConditionKind
from hgrd.terms import Symbol, Term, add, conj, const, disj, le, negate, substitute, symbols_of, var
from hgrd.terms.rewrite import arrays_of

FIRST: Final = 8  # iterations that are told apart, besides the one before


class EnclosingLoop(Struct, frozen=True):
    """A loop around a launch; `path` are the conditions at the start of its body, or (if not `begun`) before it."""

    binder: Symbol
    path: tuple[Condition, ...]
    begun: bool = False


def survived(loop: EnclosingLoop, path: tuple[Condition, ...], names: Names) -> Iterator[tuple[Condition, Condition]]:
    """What is known where `path` has led, in the loop, of the first iterations and of the one before; and whence.

    Where an iteration leaves the program (or fails an assertion), no further one is made.  What depends on values
    that each iteration has for itself, or on memory, says nothing.
    """
    depth = len(loop.path)
    if path[:depth] != loop.path:
        return
    first = names.index[loop.binder.name]
    binder = var(loop.binder)
    on_the_way: list[Term] = []
    for c in path[depth:]:
        if c.incidental:
            continue
        if not (c.ended or c.kind is ConditionKind.ASSERT):
            on_the_way.append(c.term)
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
