"""Pointers that a loop passes among its variables: buffers that change places, by turns or now and then.

What matters is which pointers the variables hold *together*: two that swap are never the same.  So the arrangements are
enumerated that iterations make of the first one, whatever the conditions in them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import TypeAlias

from msgspec import Struct

from hgrd.symbolic.machine import Machine
from hgrd.symbolic.values import OPAQUE, Choice, FunctionValue, NullValue, Pointer, PointerValue, Value
from hgrd.terms import FALSE, TRUE, Origin, Symbol, Term, const, eq, mod, negate, symbols_of, var

Arrangement: TypeAlias = tuple[PointerValue, ...]

_MOST_ARRANGEMENTS = 24
_MOST_CONDITIONS = 4


class Shuffled(Struct, frozen=True):
    """The variable number `index` of some that hold one of these arrangements.

    `turns`: each iteration makes the next arrangement of the first one, which holds before the loop, and the last makes
    that again.  Otherwise nobody knows which one any but the first iteration finds; the variables of one loop (`loop`)
    find the same.
    """

    index: int
    arrangements: tuple[Arrangement, ...]
    turns: bool
    loop: int

    def at(self, machine: Machine, name: str, first: Value, count: Term) -> PointerValue:
        assert isinstance(first, PointerValue)
        number = mod(count, const(len(self.arrangements))) if self.turns else self._any(machine, name, count)
        found = self.arrangements[-1][self.index]
        for position in reversed(range(len(self.arrangements) - 1)):
            found = either(eq(number, const(position)), self.arrangements[position][self.index], found)
        return found if self.turns else either(eq(count, const(0)), first, found)

    def _any(self, machine: Machine, name: str, count: Term) -> Term:
        key = ("arrangement", self.loop, self.arrangements, count)
        return var(Symbol(machine.names.of(key, f"{name}?"), 0, len(self.arrangements) - 1, Origin.UNKNOWN))


def either(condition: Term, then: PointerValue, otherwise: PointerValue) -> PointerValue:
    """A choice, if there is one."""
    if condition is TRUE or condition is FALSE:
        return then if condition is TRUE else otherwise
    return then if then == otherwise else Choice(condition, then, otherwise)


def shuffled(
    index: int, firsts: Sequence[Value], starts: Sequence[Value], lasts: Sequence[Value | None], loop: int
) -> Shuffled | None:
    """How variable `index` changes, where all that it may get is what others of the loop have, or constant.

    `starts` stand for what the variables hold before any iteration, `lasts` are what they hold after it.
    """
    shuffling = _shuffling(connected(index, starts, lasts), firsts, starts, (lasts,))
    if shuffling is None:
        return None
    found = _from_first(shuffling, lasts)
    if found is None:
        return None
    arrangements, later = found
    turns = later[-1] == shuffling.first and not _conditions(shuffling.of(lasts), shuffling.where)
    return Shuffled(shuffling.together.index(index), tuple(arrangements if turns else later), turns, loop)


def left(
    index: int,
    firsts: Sequence[Value],
    starts: Sequence[Value],
    again: Sequence[Value | None] | None,
    breaks: Sequence[Sequence[Value | None]],
    loop: int,
) -> Shuffled | None:
    """As `shuffled`: what variable `index` has together with others behind the loop, which breaks may have left.

    They are what `again` says after an iteration that another one may follow, and one of `breaks` after the last one.
    """
    ends = (*(() if again is None else (again,)), *breaks)
    together = frozenset[int]().union(*(connected(index, starts, end) for end in ends))
    shuffling = _shuffling(together, firsts, starts, ends)
    if shuffling is None:
        return None
    found = None if again is None else _from_first(shuffling, again)
    if found is None and again is not None:
        return None
    arrangements = [shuffling.first] if found is None else found[0]
    all_left = dict.fromkeys(arrangements)
    for end in breaks:
        for arrangement in arrangements:
            for made in shuffling.following(arrangement, end):
                if made is None or len(all_left) > _MOST_ARRANGEMENTS:
                    return None
                all_left[made] = None
    return Shuffled(shuffling.together.index(index), tuple(all_left), False, loop)


class _Shuffling(Struct, frozen=True):
    """The variables that pass pointers to each other, what they hold at `first`, and `where` placeholders stand."""

    together: list[int]
    first: Arrangement
    where: Mapping[Value, int]
    unclear: frozenset[Value]

    def of(self, values: Sequence[Value | None]) -> list[Value | None]:
        return [values[i] for i in self.together]

    def following(self, before: Arrangement, lasts: Sequence[Value | None]) -> Iterator[Arrangement | None]:
        """What an iteration makes of an arrangement, whatever its conditions; None where that is not known."""
        after = self.of(lasts)
        conditions = _conditions(after, self.where)
        if len(conditions) > _MOST_CONDITIONS:
            yield None
            return
        for held in product((True, False), repeat=len(conditions)):
            given = dict(zip(conditions, held, strict=True))
            made = [_after(value, self.where, before, given) for value in after]
            known = tuple(value for value in made if value is not None and value not in self.unclear)
            yield known if len(known) == len(made) else None


def _shuffling(
    variables: frozenset[int], firsts: Sequence[Value], starts: Sequence[Value], ends: Sequence[Sequence[Value | None]]
) -> _Shuffling | None:
    together = sorted(variables)
    first = tuple(value for i in together if isinstance(value := firsts[i], PointerValue))
    where = {starts[i]: position for position, i in enumerate(together) if own_symbols(starts[i])}
    if len(first) < len(together) or len(where) < len(together):
        return None
    return _Shuffling(together, first, where, frozenset(value for end in ends for value in unmarked(starts, end)))


def _from_first(
    shuffling: _Shuffling, lasts: Sequence[Value | None]
) -> tuple[list[Arrangement], list[Arrangement]] | None:
    """All arrangements that iterations find, and those that they make, in this order."""
    found = [shuffling.first]
    later: list[Arrangement] = []
    for arrangement in found:
        for made in shuffling.following(arrangement, lasts):
            if made is None or len(found) > _MOST_ARRANGEMENTS:
                return None
            later += [made] if made not in later else []
            found += [made] if made not in found else []
    return found, later


def connected(index: int, starts: Sequence[Value], lasts: Sequence[Value | None]) -> frozenset[int]:
    """The variables that pass pointers to each other, `index` among them."""
    numbers = {start: [i] for i, start in enumerate(starts) if own_symbols(start)}
    numbers |= unmarked(starts, lasts)
    passes = [(i, j) for i, last in enumerate(lasts) for j in _taken(last, numbers) if i != j]
    found = {index}
    while more := {k for pair in passes if not found.isdisjoint(pair) for k in pair} - found:
        found |= more
    return frozenset(found)


def unmarked(starts: Sequence[Value], lasts: Sequence[Value | None]) -> dict[Value, list[int]]:
    """What variables that change begin with, but constants may be as well: null."""
    found: dict[Value, list[int]] = {}
    for i, start in enumerate(starts):
        if isinstance(start, NullValue | FunctionValue) and lasts[i] != start:
            found.setdefault(start, []).append(i)
    return found


def own_symbols(start: Value) -> frozenset[Symbol]:
    """The symbols that tell a placeholder of a pointer from all other pointers."""
    return symbols_of(*(leaf.offset for leaf in leaves(start) if isinstance(leaf, Pointer)))


def leaves(value: Value) -> Iterator[PointerValue]:
    match value:
        case Choice(then=a, otherwise=b):
            yield from leaves(a)
            yield from leaves(b)
        case Pointer() | NullValue() | FunctionValue():
            yield value
        case _:
            yield OPAQUE


def _taken(value: Value | None, numbers: Mapping[Value, list[int]]) -> Iterator[int]:
    if isinstance(value, PointerValue) and value in numbers:
        yield from numbers[value]
    elif isinstance(value, Choice):
        yield from _taken(value.then, numbers)
        yield from _taken(value.otherwise, numbers)


def _conditions(values: Sequence[Value | None], where: Mapping[Value, int]) -> list[Term]:
    found: list[Term] = []
    todo = list(values)
    while todo:
        value = todo.pop()
        if isinstance(value, Choice) and value not in where:
            if value.condition not in found and negate(value.condition) not in found:
                found.append(value.condition)
            todo += (value.then, value.otherwise)
    return found


def _after(
    value: Value | None, where: Mapping[Value, int], before: Arrangement, truths: Mapping[Term, bool]
) -> PointerValue | None:
    """A pointer after an iteration; None where it is neither one of those before it nor constant."""
    if isinstance(value, PointerValue) and value in where:
        return before[where[value]]
    match value:
        case Choice(condition=condition, then=a, otherwise=b):
            holds = truths[condition] if condition in truths else not truths[negate(condition)]
            return _after(a if holds else b, where, before, truths)
        case NullValue() | FunctionValue():
            return value
        case Pointer(offset=offset) if not symbols_of(offset):
            return value
        case _:
            return None
