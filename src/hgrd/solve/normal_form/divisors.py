"""Systems of equations without a solution in integers: 6*x - 4*y == 3."""

from __future__ import annotations

from collections.abc import Iterable
from math import gcd
from typing import Final

from hgrd.solve.normal_form import poly
from hgrd.solve.normal_form.bounds import Infeasible
from hgrd.solve.normal_form.formula import Claim, Equal
from hgrd.solve.normal_form.poly import Mono, Poly

_MOST: Final = 48  # equations; the work grows with their square


def check_divisors(claims: Iterable[Claim]) -> None:
    """Raises Infeasible where a common divisor of an equation's coefficients does not divide its constant.

    Monomials with a coefficient 1 or -1 are eliminated, one equation after another.  (Monomials are opaque here:
    a system without a solution then has none among products either.)
    """
    left = [(claim.formula.poly, claim.facts) for claim in claims if isinstance(claim.formula, Equal)]
    if len(left) > _MOST:
        return
    while left:
        p, facts = left.pop()
        constant, divisor = p.get((), 0), gcd(*poly.proper(p).values())
        if constant % divisor if divisor else constant:
            raise Infeasible(facts)
        mono = next((mono for mono, c in p.items() if mono and abs(c) == 1), None)
        if mono is not None:
            left = [_without(mono, q, why, p, facts) for q, why in left]


def _without(mono: Mono, q: Poly, why: int, p: Poly, facts: int) -> tuple[Poly, int]:
    """q == 0 with `mono` replaced by its solution from p == 0."""
    coefficient = q.get(mono, 0)
    if not coefficient:
        return q, why
    return poly.plus(q, p, -coefficient * p[mono]), why | facts
