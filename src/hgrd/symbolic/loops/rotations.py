"""Numbers that a loop hands round among its variables, or that come round again: the indexes of buffers."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from hgrd.symbolic.values import Value
from hgrd.terms import Symbol, Term, add, as_int, const, eq, ite, mod, substitute, symbols_of

_MOST_VARIABLES = 4
_MOST_VALUES = 16


class Rotating(Struct, frozen=True):
    """The change of a variable that finds `firsts[k % len(firsts)]` at the start of iteration k."""

    firsts: tuple[Term, ...]

    def at(self, count: Term) -> Term:
        rounds, first = const(len(self.firsts)), self.firsts[0]
        if all(t is mod(add(first, const(i)), rounds) for i, t in enumerate(self.firsts)):
            return mod(add(first, count), rounds)
        number = mod(count, rounds)
        value = self.firsts[-1]
        for position in reversed(range(len(self.firsts) - 1)):
            value = ite(eq(number, const(position)), self.firsts[position], value)
        return value


def cycle_of(first: Value, last: Term, start: Symbol) -> Rotating | None:
    """How a variable changes that is back at its constant first value after few iterations (`stage ^= 1`).

    `last` is what an iteration leaves, a function of the value at its `start` alone.
    """
    if not isinstance(first, Term) or symbols_of(last) != frozenset({start}):
        return None
    found = [as_int(first)]
    while found[-1].is_const and len(found) <= _MOST_VALUES:
        (following,) = substitute((last,), {start: found[-1]})
        if following is found[0]:
            return Rotating(tuple(found))
        found.append(following)
    return None


def rotation_of(
    index: int, firsts: Sequence[Value], starts: Sequence[Value], lasts: Sequence[Value | None]
) -> Rotating | None:
    """How variable `index` changes, if every iteration gives it the number of another one, and so round to itself.

    `firsts` are the values before the loop, `starts` placeholders for those before any iteration, `lasts` the values
    after that iteration (None: unknown).
    """
    found: list[Term] = []
    at = index
    for _ in range(_MOST_VARIABLES):
        first, last = firsts[at], lasts[at]
        if not isinstance(first, Term) or not isinstance(last, Term):
            return None
        found.append(as_int(first))
        following = [i for i, start in enumerate(starts) if isinstance(start, Term) and start == last]
        if len(following) != 1:
            return None
        at = following[0]
        if at == index:
            return Rotating(tuple(found)) if len(found) > 1 else None
    return None
