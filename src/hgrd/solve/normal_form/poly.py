"""Integer polynomials over numbered atoms.

A monomial is the sorted tuple of its atoms, `()` for the constant; a polynomial maps monomials to
coefficients that are not 0.  Polynomials are values: nothing here changes its arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import gcd
from typing import Final, TypeAlias

Mono: TypeAlias = tuple[int, ...]
Poly: TypeAlias = dict[Mono, int]
PolyKey: TypeAlias = tuple[tuple[Mono, int], ...]

ZERO: Final[Poly] = {}
ONE: Final[Poly] = {(): 1}


def constant(value: int) -> Poly:
    return {(): value} if value else {}


def atom(index: int) -> Poly:
    return {(index,): 1}


def plus(p: Poly, q: Poly, factor: int = 1) -> Poly:
    """p + factor * q"""
    if not factor:
        return p
    result = dict(p)
    for mono, coefficient in q.items():
        value = result.get(mono, 0) + factor * coefficient
        if value:
            result[mono] = value
        else:
            result.pop(mono, None)
    return result


def minus(p: Poly, q: Poly) -> Poly:
    return plus(p, q, -1)


def scaled(p: Poly, factor: int) -> Poly:
    return {mono: factor * c for mono, c in p.items()} if factor else {}


def negated(p: Poly) -> Poly:
    return {mono: -c for mono, c in p.items()}


def times(p: Poly, q: Poly) -> Poly:
    result: Poly = {}
    for m, c in p.items():
        for n, d in q.items():
            mono = tuple(sorted(m + n)) if m and n else m or n
            value = result.get(mono, 0) + c * d
            if value:
                result[mono] = value
            else:
                del result[mono]
    return result


def as_constant(p: Poly) -> int | None:
    """The value of a polynomial without atoms; None for others."""
    if not p:
        return 0
    return p.get(()) if len(p) == 1 else None


def key(p: Poly) -> PolyKey:
    return tuple(sorted(p.items()))


def primitive(p: Poly) -> Poly:
    """p divided by the greatest common divisor of its coefficients."""
    unit = gcd(*p.values())
    return p if unit <= 1 else {mono: c // unit for mono, c in p.items()}


def positive_first(p: Poly) -> Poly:
    """p or -p: the one with a positive first coefficient."""
    if p and p[min(p)] < 0:
        return negated(p)
    return p


def atoms_of(p: Poly) -> set[int]:
    return {a for mono in p for a in mono}


def proper(p: Poly) -> Poly:
    """p without its constant."""
    return {mono: c for mono, c in p.items() if mono}


def divided(mono: Mono, factor: Mono) -> Mono | None:
    """The monomial divided by another; None where that does not divide it."""
    rest = list(mono)
    for a in factor:
        if a not in rest:
            return None
        rest.remove(a)
    return tuple(rest)


def split_by(p: Poly, factor: Mono) -> tuple[Poly, Poly]:
    """(P, R) with p = factor * P + R and no multiple of `factor` in R."""
    quotient: Poly = {}
    rest: Poly = {}
    for mono, c in p.items():
        cofactor = divided(mono, factor)
        if cofactor is None:
            rest[mono] = c
        else:
            quotient[cofactor] = c
    return quotient, rest


def replaced(p: Poly, values: Mapping[int, Poly]) -> Poly:
    """p with atoms replaced by polynomials."""
    if not any(a in values for mono in p for a in mono):
        return p
    result: Poly = {}
    for mono, c in p.items():
        product: Poly = {(): c}
        for a in mono:
            product = times(product, values.get(a, atom(a)))
        result = plus(result, product)
    return result


def value_of(p: Poly, value: Callable[[Mono], int]) -> int:
    """p under a valuation of whole monomials (which need not be products)."""
    return sum(c * value(mono) for mono, c in p.items())
