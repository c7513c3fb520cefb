"""Pointers that a loop permutes among its variables: double buffers, swapped every iteration or sometimes.

What matters is which pointers the variables hold *together*: two that swap are never equal.  So all arrangements are
enumerated that iterations can make of the first one, whatever the conditions in them.
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


class Permuted(Struct, frozen=True):
    """The change of the variable number `index` of those that together hold one of the `arrangements`.

    `cyclic`: iteration k finds arrangement k modulo their number.  Otherwise it is unknown which one any iteration but
    the first finds; all variables of one loop (`loop`) find the same.
    """

    index: int
    arrangements: tuple[Arrangement, ...]
    cyclic: bool
    loop: int

    def at(self, machine: Machine, name: str, first: Value, count: Term) -> PointerValue:
        assert isinstance(first, PointerValue)
        number = mod(count, const(len(self.arrangements))) if self.cyclic else self._any(machine, name, count)
        found = self.arrangements[-1][self.index]
        for position in reversed(range(len(self.arrangements) - 1)):
            found = either(eq(number, const(position)), self.arrangements[position][self.index], found)
        return found if self.cyclic else either(eq(count, const(0)), first, found)

    def _any(self, machine: Machine, name: str, count: Term) -> Term:
        key = ("arrangement", self.loop, self.arrangements, count)
        return var(Symbol(machine.names.of(key, f"{name}?"), 0, len(self.arrangements) - 1, Origin.UNKNOWN))


def either(condition: Term, then: PointerValue, otherwise: PointerValue) -> PointerValue:
    """`condition ? then : otherwise`, simplified."""
    if condition is TRUE or condition is FALSE:
        return then if condition is TRUE else otherwise
    return then if then == otherwise else Choice(condition, then, otherwise)


def permutation_of(
    index: int, firsts: Sequence[Value], starts: Sequence[Value], lasts: Sequence[Value | None], loop: int
) -> Permuted | None:
    """How variable `index` changes; None unless all that it may get are pointers of other variables, or constants.

    `firsts` are the values before the loop, `starts` placeholders for those before any iteration, `lasts` the values
    after that iteration (None: unknown).  `loop` numbers the loop.
    """
    exchange = _exchange(connected(index, starts, lasts), firsts, starts, (lasts,))
    if exchange is None:
        return None
    found = _from_first(exchange, lasts)
    if found is None:
        return None
    arrangements, later = found
    cyclic = later[-1] == exchange.first and not _conditions(exchange.of(lasts), exchange.where)
    return Permuted(exchange.together.index(index), tuple(arrangements if cyclic else later), cyclic, loop)


def permutation_at_exit(
    index: int,
    firsts: Sequence[Value],
    starts: Sequence[Value],
    again: Sequence[Value | None] | None,
    breaks: Sequence[Sequence[Value | None]],
    loop: int,
) -> Permuted | None:
    """As `permutation_of`, for variable `index` after a loop that breaks may have left.

    `again` are the values after an iteration that another one may follow (None: there is none), `breaks` those after
    each of the breaks.
    """
    ends = (*(() if again is None else (again,)), *breaks)
    together = frozenset[int]().union(*(connected(index, starts, end) for end in ends))
    exchange = _exchange(together, firsts, starts, ends)
    if exchange is None:
        return None
    found = None if again is None else _from_first(exchange, again)
    if found is None and again is not None:
        return None
    arrangements = [exchange.first] if found is None else found[0]
    all_left = dict.fromkeys(arrangements)
    for end in breaks:
        for arrangement in arrangements:
            for made in exchange.following(arrangement, end):
                if made is None or len(all_left) > _MOST_ARRANGEMENTS:
                    return None
                all_left[made] = None
    return Permuted(exchange.together.index(index), tuple(all_left), False, loop)


class _Exchange(Struct, frozen=True):
    """The variables that exchange pointers: their first values, and the position of each placeholder (`where`)."""

    together: list[int]
    first: Arrangement
    where: Mapping[Value, int]
    unclear: frozenset[Value]

    def of(self, values: Sequence[Value | None]) -> list[Value | None]:
        return [values[i] for i in self.together]

    def following(self, before: Arrangement, lasts: Sequence[Value | None]) -> Iterator[Arrangement | None]:
        """The arrangements that an iteration can make of one, whatever its conditions; None for an unknown one."""
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


def _exchange(
    variables: frozenset[int], firsts: Sequence[Value], starts: Sequence[Value], ends: Sequence[Sequence[Value | None]]
) -> _Exchange | None:
    together = sorted(variables)
    first = tuple(value for i in together if isinstance(value := firsts[i], PointerValue))
    where = {starts[i]: position for position, i in enumerate(together) if own_symbols(starts[i])}
    if len(first) < len(together) or len(where) < len(together):
        return None
    return _Exchange(together, first, where, frozenset(value for end in ends for value in unmarked(starts, end)))


def _from_first(
    exchange: _Exchange, lasts: Sequence[Value | None]
) -> tuple[list[Arrangement], list[Arrangement]] | None:
    """All arrangements that iterations can find, and all that they can make; None if unknown or too many."""
    found = [exchange.first]
    later: list[Arrangement] = []
    for arrangement in found:
        for made in exchange.following(arrangement, lasts):
            if made is None or len(found) > _MOST_ARRANGEMENTS:
                return None
            later += [made] if made not in later else []
            found += [made] if made not in found else []
    return found, later


def connected(index: int, starts: Sequence[Value], lasts: Sequence[Value | None]) -> frozenset[int]:
    """The variables that exchange pointers, directly or through others, with variable `index`."""
    numbers = {start: [i] for i, start in enumerate(starts) if own_symbols(start)}
    numbers |= unmarked(starts, lasts)
    passes = [(i, j) for i, last in enumerate(lasts) for j in _taken(last, numbers) if i != j]
    found = {index}
    while more := {k for pair in passes if not found.isdisjoint(pair) for k in pair} - found:
        found |= more
    return frozenset(found)


def unmarked(starts: Sequence[Value], lasts: Sequence[Value | None]) -> dict[Value, list[int]]:
    """Variables by start value, where that value is a constant (null, a function) and the variable changes."""
    found: dict[Value, list[int]] = {}
    for i, start in enumerate(starts):
        if isinstance(start, NullValue | FunctionValue) and lasts[i] != start:
            found.setdefault(start, []).append(i)
    return found


def own_symbols(start: Value) -> frozenset[Symbol]:
    """The symbols that tell the placeholder of a pointer from all other pointers."""
    return symbols_of(*(leaf.offset for leaf in leaves(start) if isinstance(leaf, Pointer)))


def leaves(value: Value) -> Iterator[PointerValue]:
    """The pointers that a value chooses among; OPAQUE for anything else."""
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
    """A pointer after an iteration; None where it is neither a pointer of the arrangement before nor constant."""
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
