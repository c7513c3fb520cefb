"""Rows of elements that work on the device touches, and whether two of them clearly have bytes in common.

That is found by values for what is not known of the host's numbers: two rows have bytes in common where they do for all
of the values that are tried.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from hgrd.terms import EvaluationError, Symbol, Term, const, evaluate, symbols_of
from hgrd.terms.rewrite import unwrapped

_TRIED: Final = ((1000,), (4096, 1024), (777, 64, 5000), (12345, 300, 2048, 99), (48, 100000, 513))


class Row(Struct, frozen=True):
    """The `size` bytes at each of `start + number * step`, for the numbers from `low` to below `high`."""

    start: Term
    step: int
    size: int
    low: Term
    high: Term
    stores: bool

    def terms(self) -> tuple[Term, Term, Term]:
        return self.start, self.low, self.high

    def with_terms(self, start: Term, low: Term, high: Term) -> Row:
        return Row(start, self.step, self.size, low, high, self.stores)


def bytes_from(size: Term, *, stores: bool) -> Row:
    """So many bytes from the first one on."""
    return Row(const(0), 1, 1, const(0), size, stores)


def meet(one: Row, at: Term, other: Row, there: Term) -> bool:
    """Whether two rows clearly have bytes in common; each stands at an offset in the same object."""
    terms = (*map(unwrapped, (*one.terms(), at, *other.terms(), there)),)
    symbols = sorted(symbols_of(*terms), key=lambda s: s.name)
    found: list[bool] = []
    for values in _TRIED:
        chosen = {s: _within(s, values[n % len(values)]) for n, s in enumerate(symbols)}
        try:
            a, low, high, x, b, first, last, y = evaluate(terms, chosen)
        except EvaluationError:
            return False
        if low < high and first < last:
            found.append(_common(one, a + x, range(low, high), other, b + y, range(first, last)))
    return bool(found) and all(found)


def _within(symbol: Symbol, value: int) -> int:
    return min(max(value, symbol.low), symbol.high)


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
