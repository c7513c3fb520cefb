"""Terms as polynomials over their atoms: products of sums are multiplied out.

Signed arithmetic does not overflow in a correct program; what wraps otherwise is an atom.  So is what is kept in
fewer bits than an int has: it is computed as an int, and cut (C++, "Integral promotions").
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from hgrd.program.types import INT
from hgrd.terms import Op, Term, add, const, mul, show
from hgrd.terms.rewrite import bottom_up, rebuild

Polynomial: TypeAlias = Mapping[tuple[Term, ...], int]
"""Coefficients by monomial: the atoms in it, in a fixed order."""

_MOST = 64  # monomials; a longer product stays an atom


def overflows(term: Term) -> bool:
    """Whether a term is cut to its bits only where something signed overflows."""
    if term.op is not Op.WRAP:
        return False
    bits, signed, soft = term.wrap_to
    return signed and soft and bits >= INT.bits


def without_overflow(term: Term) -> Term:
    """The term as a program computes it in which nothing signed overflows."""
    done: dict[Term, Term] = {}
    for t in bottom_up((term,)):
        if overflows(t):
            done[t] = done[t.args[0]]
        else:
            done[t] = rebuild(t, tuple(done[a] for a in t.args)) if t.args else t
    return done[term]


def polynomial(term: Term) -> Polynomial:
    plain = without_overflow(term)
    done: dict[Term, Polynomial] = {}
    for t in bottom_up((plain,), _parts):
        match t.op:
            case Op.CONST:
                done[t] = {(): t.value} if t.value else {}
            case Op.ADD | Op.SUB:
                a, b = (done[x] for x in t.args)
                done[t] = plus(a, b, 1 if t.op is Op.ADD else -1)
            case Op.MUL:
                a, b = (done[x] for x in t.args)
                done[t] = _times(a, b) if len(a) * len(b) <= _MOST else {(t,): 1}
            case _:
                done[t] = {(t,): 1}
    return done[plain]


def _parts(term: Term) -> tuple[Term, ...]:
    return term.args if term.op in (Op.ADD, Op.SUB, Op.MUL) else ()


def plus(a: Polynomial, b: Polynomial, factor: int = 1) -> Polynomial:
    """a + factor * b"""
    total = dict(a)
    for monomial, coefficient in b.items():
        value = total.pop(monomial, 0) + factor * coefficient
        if value:
            total[monomial] = value
    return total


def _times(a: Polynomial, b: Polynomial) -> Polynomial:
    total: Polynomial = {}
    for m, c in a.items():
        total = plus(total, {tuple(sorted((*m, *n), key=_order)): c * d for n, d in b.items()})
    return total


def _order(term: Term) -> str:
    return show(term)


def as_term(p: Polynomial) -> Term:
    return add(const(0), *(mul(const(c), *monomial) for monomial, c in p.items()))


def difference(a: Term, b: Term) -> Polynomial:
    return plus(polynomial(a), polynomial(b), -1)


def constant_difference(a: Term, b: Term) -> int | None:
    """a - b, if that is a constant."""
    p = difference(a, b)
    return p.get((), 0) if p.keys() <= {()} else None


def divisible(a: Term, b: Term, unit: int) -> int | None:
    """(a - b) modulo `unit`, if that is a constant."""
    p = difference(a, b)
    return p.get((), 0) % unit if all(c % unit == 0 for m, c in p.items() if m) else None


def divided(term: Term, unit: int) -> Term | None:
    """A term divided by a number; None: it is not known to be a multiple of it."""
    known = polynomial(term)
    return None if any(c % unit for c in known.values()) else as_term({m: c // unit for m, c in known.items()})
