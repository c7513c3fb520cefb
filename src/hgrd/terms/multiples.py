"""Multiples of a number, by the constant factors in a term."""

from __future__ import annotations

from hgrd.terms.term import Op, Term


def is_multiple(t: Term, n: int) -> bool:
    """Whether a term is a product with a constant that is a multiple of a number."""
    return t.op is Op.MUL and t.args[1].is_const and t.args[1].value % n == 0


def without_multiple(t: Term, n: int) -> Term | None:
    """What remains of a sum without a summand that is a multiple of a number; None if there is none."""
    if t.op is not Op.ADD:
        return None
    a, b = t.args
    return b if is_multiple(a, n) else a if is_multiple(b, n) else None
