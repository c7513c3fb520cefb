"""Checked inputs: numbers that the program takes from outside and refuses, or replaces, where they are out of bounds.

    if (n < 1 || n > 4096) return 1;   int w = v < 1 || v > 512 ? 64 : v;

What passes such a check is accepted: a race that it allows has no precondition that callers could be told of.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from hgrd.host.kinds import FactKind
from hgrd.races.encoding.pair_query import EncodedPair
from hgrd.races.preconditions.candidates import counts_iterations
from hgrd.terms import Op, Origin, Symbol, Term, symbols_of, var
from hgrd.terms.rewrite import bottom_up

_CHECKS: Final = (FactKind.GUARD, FactKind.ASSERT)
_ORDERS: Final = (Op.LE, Op.LT)


def inputs_are_checked(encoded: EncodedPair) -> bool:
    """Whether the host has checked all inputs that a query depends on, each against bounds on both sides."""
    query = encoded.query
    checks = [f.term for f in encoded.facts if f.kind in _CHECKS]
    terms = (query.first.address, *query.first.guards, query.second.address, *query.second.guards, *query.facts)
    return are_checked(query.shared, checks, terms)


def are_checked(symbols: Iterable[Symbol], checks: Iterable[Term], terms: Iterable[Term]) -> bool:
    """Whether there are inputs among the symbols, and conditions, or choices in terms, bound them all on both sides."""
    used = {s for s in symbols if s.origin is Origin.INPUT and not counts_iterations(var(s))}
    return bool(used) and used <= {*_refused(checks), *_replaced(terms)}


def _refused(checks: Iterable[Term]) -> Iterator[Symbol]:
    """The inputs in numbers that conditions bound on both sides."""
    return _within_both(part for t in checks for part in (t.args if t.op is Op.AND else (t,)))


def _replaced(terms: Iterable[Term]) -> Iterator[Symbol]:
    """The inputs in numbers that a choice replaces where they are too small or too large."""
    for t in bottom_up(tuple(terms)):
        if t.op is Op.ITE and t.args[0].op in (Op.OR, Op.AND):
            yield from _within_both(t.args[0].args)


def _within_both(comparisons: Iterable[Term]) -> Iterator[Symbol]:
    ordered = [t.args for t in comparisons if t.op in _ORDERS]
    above = {b for a, b in ordered if a.is_const}
    below = {a for a, b in ordered if b.is_const}
    return iter(symbols_of(*(above & below)))
