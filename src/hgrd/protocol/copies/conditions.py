"""Conditions that follow from others, by what a linear difference tells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hgrd.terms import FALSE, TRUE, Op, Symbol, Term, add, const, negate, sub, var
from hgrd.terms.linear import difference, linear


def follows(condition: Term, known: Iterable[Term]) -> bool:
    """Whether a condition holds where all of `known` do, as one of these says that or more (`k + 1 < n`: `k < n`)."""
    if condition is TRUE:
        return True
    limit = limit_of(condition)
    for fact in known:
        if fact is condition or fact is FALSE:
            return True
        other = limit_of(fact) if limit is not None else None
        if limit is not None and other is not None and difference(limit, other).high <= 0:
            return True
    return False


def unmet(conditions: Iterable[Term], known: frozenset[Term]) -> tuple[Term, ...] | None:
    """Those of the conditions that do not follow from what is known; None: one of them cannot hold there."""
    left: list[Term] = []
    for condition in dict.fromkeys(part for c in conditions for part in _parts(c)):
        if condition is FALSE or follows(negate(condition), known):
            return None
        if not follows(condition, known):
            left.append(condition)
    return tuple(left)


def at_least(symbol: Symbol, known: Iterable[Term]) -> int:
    """The least value of a symbol that the conditions allow, as far as single ones tell."""
    return max((bound for slope, bound in _bounds(symbol, known) if slope < 0), default=symbol.low)


def at_most(symbol: Symbol, known: Iterable[Term]) -> int:
    """The greatest value of a symbol that the conditions allow, as far as single ones tell."""
    return min((-bound for slope, bound in _bounds(symbol, known) if slope > 0), default=symbol.high)


def _bounds(symbol: Symbol, known: Iterable[Term]) -> Iterator[tuple[int, int]]:
    """(-1, n) for `n <= symbol` and (1, -n) for `symbol <= n`, its own bounds among them."""
    yield -1, symbol.low
    yield 1, -symbol.high
    for limit in map(limit_of, known):
        constant, atoms = linear(limit) if limit is not None else (0, {})
        if list(atoms) == [var(symbol)] and abs(atoms[var(symbol)]) == 1:
            yield atoms[var(symbol)], constant


def _parts(condition: Term) -> tuple[Term, ...]:
    return condition.args if condition.op is Op.AND else (condition,)


def limit_of(condition: Term) -> Term | None:
    """The term of which a comparison says that it is not positive; None of other conditions."""
    match condition.op:
        case Op.LT:
            return add(sub(*condition.args), const(1))
        case Op.LE:
            return sub(*condition.args)
        case _:
            return None
