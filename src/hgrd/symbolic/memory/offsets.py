"""Offsets that are not constants: where in an array of records `table[i].member` can be."""

from __future__ import annotations

from collections.abc import Set
from math import gcd

from hgrd.terms import Term
from hgrd.terms.linear import linear


def may_meet(offset: Term, size: int, cell: int, width: int) -> bool:
    """Whether `size` bytes at an offset may overlap `width` bytes at `cell`: `8 * i` and the bytes 4 to 7 do not."""
    if not offset.low - width < cell <= offset.high:
        return False
    constant, step = _steps(offset)
    return not step or (constant + size - 1 - cell) % step < size + width - 1


def covered(offset: Term, last: int, known: Set[int]) -> bool:
    """Whether all that an offset can be, from 0 to `last`, are known."""
    constant, step = _steps(offset)
    low, high = max(offset.low, 0), min(offset.high, last)
    return step > 0 and all(at in known for at in range(low + (constant - low) % step, high + 1, step))


def _steps(offset: Term) -> tuple[int, int]:
    """A constant and a number: the offset is the constant and a multiple of the number."""
    constant, atoms = linear(offset)
    return constant, gcd(*atoms.values())
