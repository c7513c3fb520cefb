"""Contradictions among choices of the host: conditions that cannot hold at once.

k % 2 == 0 and (k + 1) % 2 == 0
"""

from __future__ import annotations

from collections.abc import Iterable, Set
from math import lcm
from typing import Final

from hgrd.terms import Op, Symbol, Term, evaluate, negate
from hgrd.terms.linear import linear

_MOST: Final = 64  # remainders that are tried


def exclusive(one: Set[Term], other: Set[Term]) -> bool:
    """Whether two sets of conditions contradict each other."""
    return any(negate(term) in other for term in one) or _no_remainder(one | other)


def _no_remainder(conditions: Iterable[Term]) -> bool:
    """Whether no number leaves the remainders that conditions on one number ask for."""
    asked: dict[Symbol, list[tuple[Term, int]]] = {}
    for condition in conditions:
        found = _remainder(condition)
        if found is not None:
            asked.setdefault(found[0], []).append((condition, found[1]))
    for symbol, tests in asked.items():
        period = lcm(*(divisor for _, divisor in tests))
        if len(tests) > 1 and period <= _MOST and symbol.low >= 0:
            terms = tuple(test for test, _ in tests)
            if not any(all(evaluate(terms, {symbol: symbol.low + n})) for n in range(period)):
                return True
    return False


def _remainder(condition: Term) -> tuple[Symbol, int] | None:
    """The number whose remainder alone a condition is about, and the divisor; None: it is of another form."""
    found = _remainders(condition)
    if not found or len({symbol for symbol, _ in found}) > 1:
        return None
    return found[0][0], lcm(*(divisor for _, divisor in found))


def _remainders(term: Term) -> list[tuple[Symbol, int]] | None:
    """The numbers whose remainders a term is computed from; None: it is not computed from remainders alone."""
    if term.is_const:
        return []
    if term.op is Op.MOD and term.args[1].is_const and term.args[1].value > 0:
        constant, atoms = linear(term.args[0])
        symbols = [t.symbol for t in atoms if t.op is Op.VAR]
        simple = len(atoms) == len(symbols) == 1 and constant >= 0 and min(atoms.values()) > 0
        return [(symbols[0], term.args[1].value)] if simple else None
    if term.op not in (Op.ADD, Op.SUB, Op.MUL, Op.EQ, Op.LE, Op.LT, Op.NOT):
        return None
    parts = [_remainders(a) for a in term.args]
    return None if None in parts else [found for part in parts for found in part or ()]
