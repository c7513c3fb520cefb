"""Equality of values that two writes leave: values computed in the same way differ only where their operands differ."""

from __future__ import annotations

from typing import Final, TypeAlias

from hgrd.terms import FALSE, TRUE, Op, Term, conj, const, disj, ne

Values: TypeAlias = tuple[tuple[Term, Term], ...]
"""The values that the two writes leave, as pairs of terms: if the terms of any pair are equal, so are the values."""

MADE: Final = "made at"  # a thread's value at an access: by the access's number, its indexes and iterations
_COMPUTED: Final = ("float", "record of", MADE)  # arrays that stand for computations in floating point, and for records
_RECORD: Final = "record of"
_ZERO: Final = "float 0.0"


def may_differ(values: Values, places: tuple[Term, Term], sizes: tuple[int, int]) -> Term:
    """A necessary condition for two writes of these values, to places that overlap, to leave different bytes.

    The same value at the same place leaves the same bytes; a value that consists of equal bytes does so at any place.
    """
    return conj(*(_differ(a, b, places, sizes) for a, b in values))


def _differ(a: Term, b: Term, places: tuple[Term, Term], sizes: tuple[int, int]) -> Term:
    if _equal_bytes(a) and a is b:
        return FALSE
    if sizes[0] != sizes[1]:
        return TRUE
    return disj(_values_differ(a, b), ne(*places))


def _values_differ(a: Term, b: Term) -> Term:
    """The two values differ; if both are the same computation, an unknown function, its operands must differ."""
    alike = a.op is Op.READ and b.op is Op.READ and a.array == b.array and len(a.args) == len(b.args)
    if alike and a.array.startswith(_COMPUTED):
        return disj(*(_values_differ(x, y) for x, y in zip(a.args, b.args, strict=True)))
    return ne(a, b)


def _equal_bytes(value: Term) -> bool:
    """Whether all bytes of a value are 0, or all of them -1."""
    if value.op is Op.READ and value.array == _RECORD:
        return all(_equal_bytes(a) for a in value.args)
    return value in (const(0), const(-1)) or (value.op is Op.READ and value.array == _ZERO)
