"""Rows of elements that work on the device touches, and whether two of them clearly have bytes in common.

That is found by values for what is not known of the host's numbers: two rows have bytes in common where they do for all
of the values that are tried.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from hgrd.program.span import Span
from hgrd.terms import EvaluationError, Op, Symbol, Term, add, const, evaluate, mul, sub, symbols_of
from hgrd.terms.linear import from_linear, linear
from hgrd.terms.rewrite import unwrapped

Numbers: TypeAlias = tuple[tuple[int, ...], ...]
"""For each try the numbers that symbols have in turn."""
_TRIED: Final[Numbers] = ((1000,), (4096, 1024), (777, 64, 5000), (12345, 300, 2048, 99), (48, 100000, 513))
ODD: Final[Numbers] = ((1013, 61, 2003), (721, 5003, 37))  # with remainders by whatever parts are made


class Row(Struct, frozen=True):
    """The `size` bytes at each of `start + number * step`, for the numbers from `low` to below `high`.

    `reads`: it does that there, too, or alone.  `span` is the place of the access; None: that of the work.  `constant`:
    it stores one constant.  `maybe`: it may also not do so.
    """

    start: Term
    step: int
    size: int
    low: Term
    high: Term
    stores: bool
    reads: bool = False
    span: Span | None = None
    constant: bool = False
    maybe: bool = False

    def terms(self) -> tuple[Term, Term, Term]:
        return self.start, self.low, self.high

    def with_terms(self, start: Term, low: Term, high: Term) -> Row:
        return replace(self, start=start, low=low, high=high)


class Rectangle(Struct, frozen=True):
    """The `width` bytes at the beginning of each of `height` lines, which stand `pitch` bytes apart."""

    pitch: Term
    width: Term
    height: Term


def bytes_from(size: Term, *, stores: bool) -> Row:
    """So many bytes from the first one on."""
    return Row(const(0), 1, 1, const(0), size, stores, reads=not stores)


def meet(one: Row, at: Term, other: Row, there: Term) -> bool:
    """Whether two rows clearly have bytes in common; each stands at an offset in the same object."""
    terms = (*map(unwrapped, (*one.terms(), at, *other.terms(), there)),)
    found: list[bool] = []
    for chosen in valuations(symbols_of(*terms)):
        try:
            a, low, high, x, b, first, last, y = evaluate(terms, chosen)
        except EvaluationError:
            return False
        if low < high and first < last:
            found.append(_common(one, a + x, range(low, high), other, b + y, range(first, last)))
    return bool(found) and all(found)


def valuations(
    symbols: Iterable[Symbol], facts: Iterable[Term] = (), more: Numbers = ()
) -> Iterator[dict[Symbol, int]]:
    """Values to try for numbers of the host, within their bounds and those that facts give them by constants."""
    bounds = {s: (s.low, s.high) for s in sorted(symbols, key=lambda s: s.name)}
    for fact in facts:
        _narrow(bounds, fact)
    for values in (*_TRIED, *more):
        yield {s: min(max(values[n % len(values)], low), high) for n, (s, (low, high)) in enumerate(bounds.items())}


def _narrow(bounds: dict[Symbol, tuple[int, int]], fact: Term) -> None:
    """Makes the bounds of a symbol those that a comparison with a constant leaves."""
    if fact.op not in (Op.LT, Op.LE):
        return
    (one, other), less = map(unwrapped, fact.args), int(fact.op is Op.LT)
    for symbol in _chosen(one) if other.is_const else ():
        if symbol in bounds:
            low, high = bounds[symbol]
            bounds[symbol] = low, min(high, other.value - less)
    for symbol in _chosen(other) if one.is_const else ():
        if symbol in bounds:
            low, high = bounds[symbol]
            bounds[symbol] = max(low, one.value + less), high


def _chosen(term: Term) -> Iterator[Symbol]:
    """The symbols that a number is, where it is no other: `argc > 1 ? n : 1000` may be n."""
    term = unwrapped(term)
    if term.op is Op.VAR:
        yield term.symbol
    for arm in term.args[1:] if term.op is Op.ITE else ():
        yield from _chosen(arm)


def apart(one: Row, at: Term, other: Row, there: Term) -> bool:
    """Whether two rows surely have no bytes in common; each stands at an offset in the same object."""
    return _before(one, at, other, there) or _before(other, there, one, at)


def _before(one: Row, at: Term, other: Row, there: Term) -> bool:
    """Whether one row surely ends before the other one begins."""
    if one.step < 0 or other.step < 0:
        return False
    begins = (add(there, other.start, mul(low, const(other.step))) for low in _one_of(other.low, Op.MAX))
    ends = [
        add(at, one.start, mul(sub(high, const(1)), const(one.step)), const(one.size))
        for high in _one_of(one.high, Op.MIN)
    ]
    return any(from_linear(linear(sub(begin, end))).low >= 0 for begin in begins for end in ends)


def _one_of(term: Term, op: Op) -> Iterator[Term]:
    """Terms that a minimum is not above, or that a maximum is not below."""
    inner = unwrapped(term)
    if inner.op is op:
        for part in inner.args:
            yield from _one_of(part, op)
    else:
        yield inner


def _common(one: Row, a: int, numbers: range, other: Row, b: int, others: range) -> bool:
    here, there = _ends(one, a, numbers), _ends(other, b, others)
    if here[1] <= there[0] or there[1] <= here[0]:
        return False
    step = abs(one.step)
    if step == abs(other.step) and step > max(one.size, other.size):
        off = (b - a) % step
        return off < one.size or step - off < other.size
    return min(here[1], there[1]) - max(here[0], there[0]) >= min(step, abs(other.step), 1)


def _ends(row: Row, at: int, numbers: range) -> tuple[int, int]:
    first, last = at + row.step * numbers[0], at + row.step * numbers[-1]
    return min(first, last), max(first, last) + row.size
