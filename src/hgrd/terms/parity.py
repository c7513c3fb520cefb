"""Parities of numbers, in one form: what is odd where another number is even differs from it by 1.

t & 1  and  (t & 1) ^ 1,  t % 2  and  (t + 1) % 2:    the two buffers of a step and of the next one
"""

from __future__ import annotations

from hgrd.terms.build import bit_and, const, sub
from hgrd.terms.linear import from_linear, linear
from hgrd.terms.rewrite import bottom_up, rebuild, unwrapped
from hgrd.terms.term import Op, Term


def with_parities(term: Term) -> Term:
    """The same number, where every remainder by 2 is that of a sum without even parts, or 1 less it."""
    done: dict[Term, Term] = {}
    for part in bottom_up((term,)):
        done[part] = _in_one_form(rebuild(part, tuple(done[a] for a in part.args)) if part.args else part)
    return done[term]


def _in_one_form(term: Term) -> Term:
    match term.op, term.args:
        case Op.AND_BITS, (a, b) if b == const(1):
            return _parity(a)
        case Op.MOD, (a, b) if b == const(2) and a.low >= 0:
            return _parity(a)
        case _:
            return term


def _parity(number: Term) -> Term:
    """The remainder by 2 of a number; wrapping around does not change it."""
    constant, atoms = linear(unwrapped(number))
    bit = bit_and(from_linear((0, {atom: 1 for atom, factor in atoms.items() if factor % 2})), const(1))
    return sub(const(1), bit) if constant % 2 else bit
