"""Places of accesses: the bytes that some thread may touch with them, in whatever iteration.

An offset is a number and multiples of terms.  Modulo a factor, such as the size of a record, only the other terms
count, and these are often bounded: by their types, by the extents of arrays, by conditions on the way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import gcd
from typing import Final, TypeAlias

from msgspec import Struct

from hgrd.protocol.model import Access
from hgrd.races.acquire_release.accesses import known_at
from hgrd.races.acquire_release.representatives import parts_of
from hgrd.terms import Op, Term
from hgrd.terms.interval import Interval
from hgrd.terms.linear import linear

Sum: TypeAlias = frozenset[tuple[Term, int]]
"""Different terms, each times a factor that is not 0."""

_MOST_FACTORS: Final = 8


class Place(Struct, frozen=True):
    """Place of an access: the `size` bytes from `start + moving`.

    `bounds` are those of sums of the terms that it moves with, the longest sums first.
    """

    start: int
    moving: Sum
    size: int
    bounds: tuple[tuple[Sum, Interval], ...]

    def modulo(self, divisor: int) -> Interval:
        """Bounds of the offset without what is a multiple of `divisor`; 0: of all of it."""
        rest = {t: f for t, f in self.moving if not divisor or f % divisor}
        low = high = self.start
        for terms, within in self.bounds:
            scale = _times(rest, terms)
            if scale:
                rest = {t: f for t, f in rest.items() if (t, f // scale) not in terms}
                ends = (scale * within[0], scale * within[1])
                low, high = low + min(ends), high + max(ends)
        least, most = _interval(rest.items())
        return low + least, high + most


def place_of(access: Access) -> Place:
    """The place of an access."""
    start, multiples = linear(access.offset)
    bounds: dict[Sum, Interval] = {}
    for terms, least in _least_sums(access):
        if all(t in multiples for t, _ in terms):
            opposite = frozenset((t, -f) for t, f in terms)
            low, high = bounds.get(terms) or _interval(terms)
            bounds[terms] = max(low, least), high
            low, high = bounds.get(opposite) or _interval(opposite)
            bounds[opposite] = low, min(high, -least)
    longest_first = sorted(bounds.items(), key=lambda bound: -len(bound[0]))
    return Place(start, frozenset(multiples.items()), access.size, tuple(longest_first))


def may_overlap(a: Place, b: Place) -> bool:
    """Whether an access of the one place, by any thread, may touch a byte that one of the other touches."""
    factors = {abs(f) for _, f in (*a.moving, *b.moving)}
    divisors = (0, gcd(*factors), *sorted(factors, reverse=True)[:_MOST_FACTORS])
    return all(_may_meet(a, b, divisor) for divisor in dict.fromkeys(divisors))


def _may_meet(a: Place, b: Place, divisor: int) -> bool:
    """Whether the two may overlap, as far as what is left of them modulo `divisor` tells."""
    (low_a, high_a), (low_b, high_b) = a.modulo(divisor), b.modulo(divisor)
    nearest, farthest = low_b - high_a - (a.size - 1), high_b - low_a + (b.size - 1)
    if divisor == 0:
        return nearest <= 0 <= farthest
    return farthest // divisor * divisor >= nearest


# ---------------------------------------------------------------- bounds of sums


def _least_sums(access: Access) -> Iterator[tuple[Sum, int]]:
    """The conditions of an access that say how large a sum is at least."""
    conditions = frozenset((*known_at(access), *access.bounds))
    for condition in (part for c in conditions for part in parts_of(c)):
        if condition.op in (Op.LE, Op.LT):
            (start, less), (end, more) = map(linear, condition.args)
            factors = {t: more.get(t, 0) - less.get(t, 0) for t in (*less, *more)}
            least = start - end + (condition.op is Op.LT)
            common = gcd(*factors.values())
            if common:
                yield frozenset((t, f // common) for t, f in factors.items() if f), -(-least // common)


def _interval(terms: Iterable[tuple[Term, int]]) -> Interval:
    """The bounds of a sum that those of its terms imply."""
    ends = [(f * t.low, f * t.high) for t, f in terms]
    return sum(map(min, ends)), sum(map(max, ends))


def _times(multiples: Mapping[Term, int], terms: Sum) -> int:
    """How many times the sum stands in the multiples; 0: it does not."""
    scales = {divmod(multiples.get(t, 0), f) for t, f in terms}
    scale, rest = min(scales)
    return scale if len(scales) == 1 and not rest else 0
