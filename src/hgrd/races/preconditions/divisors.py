"""Divisors that a parameter may have to be a multiple of: constants of the kernel, such as the width of its tiles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product

from hgrd.solve.query import Party
from hgrd.terms import Op, Origin, Term, sub, symbols_of
from hgrd.terms.linear import linear
from hgrd.terms.rewrite import bottom_up

_MOST = 8
_LARGEST = 4096  # of a product of two


def divisors(parameter: Term, parties: Iterable[Party]) -> list[int]:
    """What a parameter may have to be a multiple of, the least first.

    The divisors of terms that contain it, the numbers of elements that one access covers and that threads and blocks
    are apart, in addresses and where they are compared with it, and products of two of these.
    """
    parties = tuple(parties)
    symbols, roots = symbols_of(parameter), tuple(t for p in parties for t in (p.address, *p.guards))
    found: set[int] = set()
    for t in bottom_up(roots):
        if t.op in (Op.DIV, Op.MOD, Op.SHR) and t.args[1].is_const and not symbols.isdisjoint(symbols_of(t.args[0])):
            found.add(1 << min(t.args[1].value, 31) if t.op is Op.SHR else t.args[1].value)
    for t in bottom_up(roots):
        if t.op in (Op.LE, Op.LT):
            found |= _steps(linear(sub(*t.args))[1], parameter)
    for party in parties:
        atoms = linear(party.address)[1]
        units = {abs(c) for t, c in atoms.items() if not symbols.isdisjoint(symbols_of(t))}
        steps = {party.size, *(abs(c) for t, c in atoms.items() if _is_index(t))}
        found |= {step // unit for unit in units for step in steps if step % unit == 0}
    found = {width for width in found if width > 1}
    products = {a * b for a, b in product(found, found) if a * b <= _LARGEST}
    return sorted(found | products)[:_MOST]


def _steps(apart: Mapping[Term, int], parameter: Term) -> set[int]:
    """By how much an index grows from thread to thread, where it is compared with the parameter."""
    steps = [abs(c) for t, c in apart.items() if _is_index(t)]
    return {min(steps)} if steps and abs(apart.get(parameter, 0)) == 1 else set()


def _is_index(term: Term) -> bool:
    return term.op is Op.VAR and term.symbol.origin in (Origin.THREAD, Origin.BLOCK)
