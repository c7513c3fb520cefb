"""Loops that swap elements of an array, as `std::swap(a[i], a[rand() % (i + 1)])`: elements that differ still do."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from hgrd.symbolic.array_patterns import ArrayPattern, Distinct, Stored, all_differ
from hgrd.symbolic.polynomials import constant_difference
from hgrd.terms import Op, Term, as_int, const, mul


def swapped_patterns(
    before: tuple[ArrayPattern, ...], stores: tuple[Stored, ...], is_own: Callable[[Term, Stored], bool]
) -> tuple[ArrayPattern, ...]:
    """The patterns that an object keeps in a loop each iteration of which makes just these stores to it.

    `is_own`: whether a term reads the object of a store, as it is when an iteration begins.  Both elements must be
    among those of the pattern, as what else the object has may be equal to one of them.  An access outside of an object
    has no meaning.
    """
    if len(stores) != 2 or not _swap(*stores, is_own):
        return ()
    return tuple(
        replace(fill, pattern=Distinct())
        for fill in before
        if all_differ(fill.pattern) and (fill.type, fill.size) == (stores[0].type, stores[0].size)
        if all(_among(fill, stored) for stored in stores)
    )


def _among(fill: ArrayPattern, stored: Stored) -> bool:
    k = fill.element(stored.offset)
    return k is not None and (fill.is_whole(stored.target) or fill.holds_at(stored.offset))


def _swap(one: Stored, two: Stored, is_own: Callable[[Term, Stored], bool]) -> bool:
    """Whether each of two places gets what the other one has held."""
    alike = (one.type, one.size, one.when) == (two.type, two.size, two.when)
    return alike and _gets(one, two, is_own) and _gets(two, one, is_own)


def _gets(to: Stored, source: Stored, is_own: Callable[[Term, Stored], bool]) -> bool:
    value = as_int(to.value) if isinstance(to.value, Term) else None
    if value is None or value.op is not Op.READ or len(value.args) != 1 or not is_own(value, to):
        return False
    return constant_difference(mul(value.args[0], const(source.size or 1)), source.offset) == 0
