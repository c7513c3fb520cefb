"""Numbers that a loop hands round among its variables: the indexes of double buffers, swapped every iteration."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from hgrd.symbolic.values import Value
from hgrd.terms import Term, as_int, const, eq, ite, mod

_MOST_VARIABLES = 4


class Rotating(Struct, frozen=True):
    """The change of a variable that finds `firsts[k % len(firsts)]` at the start of iteration k."""

    firsts: tuple[Term, ...]

    def at(self, count: Term) -> Term:
        number = mod(count, const(len(self.firsts)))
        value = self.firsts[-1]
        for position in reversed(range(len(self.firsts) - 1)):
            value = ite(eq(number, const(position)), self.firsts[position], value)
        return value


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
