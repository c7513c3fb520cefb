"""Packed arrays: several arrays in one allocation, one after the other, each with its own kernel pointer.

The host computes where each begins (`dU + offset[1]`, `all + n`), but their lengths are unknown: an index read from
memory may lead out of one array into the next.  That it does not is a precondition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec import Struct

from hgrd.races.preconditions.segments import NAME
from hgrd.solve.query import Party, Query
from hgrd.terms import TRUE, Op, Term, add, conj, const, disj, le, lt, mul, show, sub
from hgrd.terms.linear import linear
from hgrd.terms.rewrite import bottom_up, unwrapped

Start = tuple[str, Term]
"""A pointer of the kernel into the allocation, and its offset from the begin of the allocation in bytes."""


def of_layout(
    query: Query, starts: tuple[Start, ...], arguments: tuple[tuple[str, Term], ...]
) -> Iterator[tuple[str, Callable[[Query], Term]]]:
    """Conditions that no index read from memory leads from one of two arrays into the other: as C, and in a query.

    `starts`: the kernel's pointers into the allocation that both threads access; `arguments`: its numbers.
    """
    lookups = _lookups(query, starts)
    if lookups is None:
        return
    one, two = lookups
    apart = sub(two.begin, one.begin)
    if apart.low >= 0:
        said, upper = one.within(two, arguments), {two}
    elif apart.high <= 0:
        said, upper = two.within(one, arguments), {one}
    else:
        either = f"{one.pointer} <= {two.pointer} ? {one.within(two, arguments)} : {two.within(one, arguments)}"
        said, upper = f"({either})", {one, two}
    signed = sorted({x.array for x in upper if x.value.low < 0})
    yield " && ".join((said, *(f"nonnegative({array})" for array in signed))), lambda q: _stay(q, starts)


class _Lookup(Struct, frozen=True):
    """An access through a `pointer` to the row `value`, an element of `array`: so many elements of so many bytes."""

    pointer: str
    begin: Term
    array: str
    value: Term
    width: Term
    size: int

    def within(self, other: _Lookup, arguments: tuple[tuple[str, Term], ...]) -> str:
        """The condition that it stays before the begin of the other array, as C."""
        rows = f"{other.pointer} - {self.pointer}"
        if self.width is not const(1):
            width = unwrapped(self.width)
            text = next((name for name, t in arguments if unwrapped(t) is width), show(width))
            rows = f"({rows}) / {text if NAME.fullmatch(text) or width.is_const else f'({text})'}"
        return f"within({self.array}, {rows})"

    def before(self, other: _Lookup) -> Term:
        """The condition that the row ends before the other array begins, if that array comes after it."""
        end = mul(add(mul(self.value, self.width), self.width), const(self.size))
        return disj(lt(other.begin, self.begin), le(end, sub(other.begin, self.begin)))


def _stay(query: Query, starts: tuple[Start, ...]) -> Term:
    lookups = _lookups(query, starts)
    if lookups is None:
        return TRUE
    one, two = lookups
    return conj(one.before(two), two.before(one), *(le(const(0), x.value) for x in lookups))


def _lookups(query: Query, starts: tuple[Start, ...]) -> tuple[_Lookup, _Lookup] | None:
    """The look-ups of the two threads, through pointers whose distance only the host knows."""
    if len(starts) < 2:
        return None
    one, two = (_lookup(party, starts) for party in (query.first, query.second))
    if one is None or two is None or sub(one.begin, two.begin).is_const:
        return None
    return one, two


def _lookup(party: Party, starts: tuple[Start, ...]) -> _Lookup | None:
    """The look-up that gives the row of an access; None if that is not one number."""
    constant, atoms = linear(party.address)
    found: list[tuple[int, Start]] = []
    for start in starts:
        behind, own = linear(start[1])
        if behind <= constant and all(atoms.get(t) == n for t, n in own.items()):
            found.append((len(own), start))
    if not found:
        return None
    _, (pointer, begin) = max(found, key=lambda f: f[0])
    rest = linear(sub(party.address, begin))[1]
    rows = [(t, n) for t, n in rest.items() if any(x.op is Op.READ for x in bottom_up((t,)))]
    if len(rows) != 1 or rows[0][1] != party.size:
        return None
    row = unwrapped(rows[0][0])
    parts = row.args if row.op is Op.MUL else (row, const(1))
    for value, width in (parts, parts[::-1]):
        read = unwrapped(value)
        if read.op is Op.READ and NAME.fullmatch(read.array) and not _looks_up(width):
            return _Lookup(pointer, begin, read.array, value, width, party.size)
    return None


def _looks_up(term: Term) -> bool:
    return any(t.op is Op.READ for t in bottom_up((term,)))
