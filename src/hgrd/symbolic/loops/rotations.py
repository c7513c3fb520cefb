"""Numbers that a loop hands round among its variables, or that come round again: the indexes of buffers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from msgspec import Struct

from hgrd.symbolic.values import Value
from hgrd.terms import Symbol, Term, add, as_int, const, div, eq, ite, mod, substitute, symbols_of
from hgrd.terms.linear import difference

_MOST_VARIABLES = 4
_MOST_VALUES = 16
_MOST_STEPS = 64


class Rotating(Struct, frozen=True):
    """The change of a variable that finds `firsts[k / each % len(firsts)]` at the start of iteration k."""

    firsts: tuple[Term, ...]
    each: int = 1

    def at(self, count: Term) -> Term:
        rounds, first = const(len(self.firsts)), self.firsts[0]
        count = div(count, const(self.each))
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


def joint_cycle_of(
    index: int, firsts: Sequence[Value], starts: Sequence[Value], lasts: Sequence[Value | None]
) -> Rotating | None:
    """How variable `index` changes with others, all of which are back at constants after few iterations.

    `if (++stage == STAGES) { stage = 0; phase ^= 1; }`; the arguments are as for `rotation_of`.
    """
    own, end = firsts[index], lasts[index]
    if (
        not isinstance(own, Term)
        or not own.is_const
        or not isinstance(end, Term)
        or end.is_const
        or end == starts[index]
    ):
        return None
    among = {s.symbol: i for i, s in enumerate(starts) if isinstance(s, Term) and s.args == () and not s.is_const}
    parts = [index]
    for at in parts:
        last = lasts[at]
        symbols = symbols_of(last) if isinstance(last, Term) else None
        if symbols is None or not isinstance(firsts[at], Term) or not symbols <= among.keys():
            return None
        if _counts(starts[at], last):
            return None
        parts += [i for s in symbols if (i := among[s]) not in parts]
        if len(parts) > _MOST_VARIABLES:
            return None
    values = [_step_of(firsts, parts)]
    following = tuple(as_int(t) for i in parts if isinstance(t := lasts[i], Term))
    symbols = {i: s for s, i in among.items()}
    while len(parts) > 1 and len(values) <= _MOST_STEPS and all(v.is_const for v in values[-1]):
        known = {symbols[i]: v for i, v in zip(parts, values[-1], strict=True) if i in symbols}
        values.append(substitute(following, known))
        if values[-1] == values[0]:
            return _in_runs([v for v, *_ in values[:-1]])
        if len({v for v, *_ in values}) > _MOST_VALUES:
            return None
    return None


def _counts(start: Value, last: Value | None) -> bool:
    """Whether a variable grows by a constant in each iteration: it is never back at its first value."""
    by = difference(last, start) if isinstance(last, Term) and isinstance(start, Term) else None
    return by is not None and by.is_const and by.value != 0


def _step_of(values: Sequence[Value], parts: Sequence[int]) -> tuple[Term, ...]:
    return tuple(as_int(v) for i in parts if isinstance(v := values[i], Term))


def _in_runs(values: list[Term]) -> Rotating | None:
    """Values that come round, where each stays as long as the others do."""
    runs = [(value, len(list(alike))) for value, alike in groupby(values)]
    (_, each), *others = runs
    if len(runs) > _MOST_VALUES or any(length != each for _, length in others):
        return None
    return Rotating(tuple(value for value, _ in runs), each)


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
