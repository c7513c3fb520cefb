"""When two writes may leave something different: values computed alike do so only where their operands differ."""

from __future__ import annotations

from typing import Final, TypeAlias

from hgrd.terms import FALSE, TRUE, Op, Term, conj, const, disj, ne

Values: TypeAlias = tuple[tuple[Term, Term], ...]
"""What the one and the other write leave, in several words for it: if two terms are equal, so are the values."""

MADE: Final = "made at"  # what a thread makes at an access: by the number of this, its indexes and iterations
_COMPUTED: Final = ("float", "record of", MADE)  # arrays that stand for computations in floating point, and for records
_RECORD: Final = "record of"
_ZERO: Final = "float 0.0"


def differ(values: Values, places: tuple[Term, Term], sizes: tuple[int, int]) -> Term:
    """A condition without which two writes of these values, to places that overlap, leave the same bytes there.

    The same value in the same place does, and whatever consists of equal bytes at every place.
    """
    return conj(*(_differ(a, b, places, sizes) for a, b in values))


def _differ(a: Term, b: Term, places: tuple[Term, Term], sizes: tuple[int, int]) -> Term:
    if _equal_bytes(a) and a is b:
        return FALSE
    if sizes[0] != sizes[1]:
        return TRUE
    return disj(_unlike(a, b), ne(*places))


def _unlike(a: Term, b: Term) -> Term:
    """Where both are the same computation, its operands must differ: its function is not known, but it is one."""
    alike = a.op is Op.READ and b.op is Op.READ and a.array == b.array and len(a.args) == len(b.args)
    if alike and a.array.startswith(_COMPUTED):
        return disj(*(_unlike(x, y) for x, y in zip(a.args, b.args, strict=True)))
    return ne(a, b)


def _equal_bytes(value: Term) -> bool:
    """All bytes 0, or all of them -1."""
    if value.op is Op.READ and value.array == _RECORD:
        return all(_equal_bytes(a) for a in value.args)
    return value in (const(0), const(-1)) or (value.op is Op.READ and value.array == _ZERO)
