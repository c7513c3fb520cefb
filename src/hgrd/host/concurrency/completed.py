"""Completed work: sets of pieces of work, as bits, each with the choices of the host under which they are complete."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, TypeAlias

from hgrd.terms import Term, negate

Completed: TypeAlias = Mapping[frozenset[Term], int]
"""Sets of work by choices; a bit of each is the number of a piece of work.  No piece is in two of the sets."""
ALWAYS: Final = frozenset[Term]()
NONE: Final[Completed] = {}


def piece(number: int, choices: frozenset[Term] = ALWAYS) -> Completed:
    """One piece of work, complete under these choices."""
    return {choices: 1 << number}


def joined(one: Completed, other: Completed) -> Completed:
    """The work of both; what is in both has the choices of the set that needs fewer of them.

    Where the two are the arms of one choice, that is left out.  Of as many choices, those of the other set count.
    """
    if not one or not other:
        return one or other
    found = dict(one)
    for choices, bits in other.items():
        new = bits
        for known, has in one.items():
            common = new & has
            if common and (in_both := _arms(choices, known)) is not None:
                found[known] &= ~common
                found[in_both] = found.get(in_both, 0) | common
                new &= ~common
            elif common and len(choices) <= len(known):
                found[known] &= ~common
            else:
                new &= ~common
        found[choices] = found.get(choices, 0) | new
    return {choices: bits for choices, bits in found.items() if bits}


def _arms(one: frozenset[Term], other: frozenset[Term]) -> frozenset[Term] | None:
    """What two sets of choices have in common, if they differ in the arms of one choice alone; else None."""
    match tuple(one ^ other):
        case a, b if negate(a) == b:
            return one & other
        case _:
            return None


def under(known: Completed, choices: frozenset[Term]) -> Completed:
    """The work, known to be complete only under further choices."""
    if not choices:
        return known
    found: dict[frozenset[Term], int] = {}
    for others, bits in known.items():
        both = others | choices
        found[both] = found.get(both, 0) | bits
    return found


def needed(known: Completed, number: int) -> frozenset[Term] | None:
    """The choices under which a piece of work is complete; None: it is not."""
    return next((choices for choices, bits in known.items() if bits >> number & 1), None)


def numbers(bits: int) -> Iterator[int]:
    """The pieces of work of a set, by number."""
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low
