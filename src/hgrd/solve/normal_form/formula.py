"""Conditions on polynomials, in negation normal form, and the facts they rest on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, TypeAlias

from msgspec import Struct

from hgrd.solve.normal_form import poly
from hgrd.solve.normal_form.poly import Mono, Poly


class Equal(Struct, frozen=True):
    """poly == 0"""

    poly: Poly


class Differs(Struct, frozen=True):
    """poly != 0"""

    poly: Poly


class AtMost(Struct, frozen=True):
    """poly <= 0"""

    poly: Poly


class Every(Struct, frozen=True):
    parts: tuple[Formula, ...]


class Some(Struct, frozen=True):
    parts: tuple[Formula, ...]


Formula: TypeAlias = Equal | Differs | AtMost | Every | Some

TRUE: Final = Every(())
FALSE: Final = Some(())


class Claim(Struct, frozen=True):
    """A formula that holds whenever the facts in `facts` (a bit set of fact numbers) do."""

    formula: Formula
    facts: int = 0


def equal(p: Poly, q: Poly) -> Formula:
    return Equal(poly.minus(p, q))


def at_most(p: Poly, q: Poly) -> Formula:
    return AtMost(poly.minus(p, q))


def less(p: Poly, q: Poly) -> Formula:
    return AtMost(poly.plus(poly.minus(p, q), poly.ONE))


def positive(p: Poly) -> Formula:
    """p >= 1"""
    return less(poly.ZERO, p)


def negative(p: Poly) -> Formula:
    """p <= -1"""
    return less(p, poly.ZERO)


def every(parts: Iterable[Formula]) -> Formula:
    """Conjunction: flattened, decided parts dropped."""
    kept: list[Formula] = []
    for part in parts:
        simple = settled(part)
        if simple == FALSE:
            return FALSE
        kept.extend(simple.parts if isinstance(simple, Every) else (simple,))
    return kept[0] if len(kept) == 1 else Every(tuple(kept))


def some(parts: Iterable[Formula]) -> Formula:
    """Disjunction: flattened, decided parts dropped."""
    kept: list[Formula] = []
    for part in parts:
        simple = settled(part)
        if simple == TRUE:
            return TRUE
        kept.extend(simple.parts if isinstance(simple, Some) else (simple,))
    return kept[0] if len(kept) == 1 else Some(tuple(kept))


def settled(formula: Formula) -> Formula:
    """TRUE or FALSE for a comparison of constants, else the formula."""
    match formula:
        case Equal(p) | Differs(p) | AtMost(p):
            value = poly.as_constant(p)
            if value is None:
                return formula
            truth = (
                value == 0 if isinstance(formula, Equal) else value != 0 if isinstance(formula, Differs) else value <= 0
            )
            return TRUE if truth else FALSE
        case _:
            return formula


def conjuncts(claims: Iterable[Claim]) -> Iterator[Claim]:
    """The claims with conjunctions taken apart."""
    for claim in claims:
        if isinstance(claim.formula, Every):
            yield from conjuncts(Claim(part, claim.facts) for part in claim.formula.parts)
        else:
            yield claim


def map_polys(formula: Formula, change: Callable[[Poly], Poly]) -> Formula:
    match formula:
        case Equal(p):
            return settled(Equal(change(p)))
        case Differs(p):
            return settled(Differs(change(p)))
        case AtMost(p):
            return settled(AtMost(change(p)))
        case Every(parts):
            return every(map_polys(part, change) for part in parts)
        case Some(parts):
            return some(map_polys(part, change) for part in parts)


def polys_of(formula: Formula) -> Iterator[Poly]:
    match formula:
        case Equal(p) | Differs(p) | AtMost(p):
            yield p
        case Every(parts) | Some(parts):
            for part in parts:
                yield from polys_of(part)


def holds(formula: Formula, value: Callable[[Mono], int]) -> bool:
    """The truth of a formula under a valuation of monomials."""
    match formula:
        case Equal(p):
            return poly.value_of(p, value) == 0
        case Differs(p):
            return poly.value_of(p, value) != 0
        case AtMost(p):
            return poly.value_of(p, value) <= 0
        case Every(parts):
            return all(holds(part, value) for part in parts)
        case Some(parts):
            return any(holds(part, value) for part in parts)


def negation(formula: Formula) -> Formula:
    match formula:
        case Equal(p):
            return Differs(p)
        case Differs(p):
            return Equal(p)
        case AtMost(p):
            return positive(p)
        case Every(parts):
            return some(negation(part) for part in parts)
        case Some(parts):
            return every(negation(part) for part in parts)
