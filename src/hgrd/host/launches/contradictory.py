"""Contradictory conditions: those that leave no value for a number that they are about.

if (mode < 0 || mode >= 1) return;
table[mode]<<<grid, block>>>(…);   // never the second kernel
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from msgspec import Struct, field

from hgrd.terms import Op, Term, sub
from hgrd.terms.linear import linear

_MOST: Final = 256  # values that are gone through


class _Left(Struct):
    """The values that are left for a number: from `low` to `high`, but for some."""

    low: int
    high: int
    excluded: set[int] = field(default_factory=set[int])

    @property
    def none(self) -> bool:
        return self.high - self.low < _MOST and all(n in self.excluded for n in range(self.low, self.high + 1))


def contradictory(conditions: Iterable[Term]) -> bool:
    """Whether no value of some number meets all the conditions that are about this number alone."""
    numbers: dict[Term, _Left] = {}
    for condition in conditions:
        for part in _parts(condition):
            _restrict(numbers, part)
    return any(left.none for left in numbers.values())


def _parts(condition: Term) -> Iterator[Term]:
    if condition.op is Op.AND:
        for part in condition.args:
            yield from _parts(part)
    else:
        yield condition


def _restrict(numbers: dict[Term, _Left], condition: Term) -> None:
    differs = condition.op is Op.NOT and condition.args[0].op is Op.EQ
    compared = condition.args[0] if differs else condition
    if compared.op not in (Op.LT, Op.LE, Op.EQ):
        return
    constant, atoms = linear(sub(*compared.args))
    if len(atoms) != 1:
        return
    ((number, factor),) = atoms.items()
    left = numbers.setdefault(number, _Left(number.low, number.high))
    value, rest = divmod(-constant, factor)
    if differs:
        left.excluded |= set() if rest else {value}
    elif compared.op is Op.EQ:
        left.low, left.high = (1, 0) if rest else (max(left.low, value), min(left.high, value))
    elif factor > 0:  # the number is at most, or less than, -constant / factor
        left.high = min(left.high, value - (compared.op is Op.LT and not rest))
    else:
        least = -(constant // factor)
        left.low = max(left.low, least + (compared.op is Op.LT and constant % factor == 0))
