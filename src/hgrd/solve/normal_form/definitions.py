"""Symbols that equalities among the facts define."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hgrd.solve.problem import Problem
from hgrd.terms import Op, Symbol, Term, add, div, sub, symbols_of


def definitions(problem: Problem) -> dict[Symbol, Term]:
    """Definitions of symbols by equalities among the facts, without cycles."""
    defined: dict[Symbol, Term] = {}
    for symbol, value in _equalities(problem):
        if symbol not in defined and not _depends(value, symbol, defined):
            defined[symbol] = value
    return defined


def _equalities(problem: Problem) -> Iterator[tuple[Symbol, Term]]:
    """Conditions that say symbol == term, also with the symbol within a sum or scaled."""
    for condition in problem.conditions:
        t = condition.term
        if t.op is Op.EQ and symbols_of(t) <= problem.shared:
            for left, right in (t.args, t.args[::-1]):
                solved = _solved(left, right)
                if solved is not None:
                    yield solved


def _solved(left: Term, right: Term) -> tuple[Symbol, Term] | None:
    """left == right as symbol == term; a wrap or a division on the way is ignored (values are checked later)."""
    while True:
        match left.op:
            case Op.VAR:
                return left.symbol, right
            case Op.WRAP:
                left = left.args[0]
            case Op.ADD if left.args[1].is_const:
                left, right = left.args[0], sub(right, left.args[1])
            case Op.SUB if left.args[1].is_const:
                left, right = left.args[0], add(right, left.args[1])
            case Op.MUL if left.args[1].is_const and left.args[1].value:
                left, right = left.args[0], div(right, left.args[1])
            case _:
                return None


def _depends(value: Term, symbol: Symbol, defined: Mapping[Symbol, Term]) -> bool:
    """Whether `value` depends on `symbol`, through the definitions."""
    seen: set[Symbol] = set()
    stack = list(symbols_of(value))
    while stack:
        s = stack.pop()
        if s == symbol:
            return True
        if s not in seen:
            seen.add(s)
            if s in defined:
                stack.extend(symbols_of(defined[s]))
    return False


def in_order(defined: Mapping[Symbol, Term]) -> list[Symbol]:
    """Definitions after what they use."""
    order: list[Symbol] = []
    waiting = dict(defined)
    while waiting:
        ready = [s for s, value in waiting.items() if not any(u in waiting for u in symbols_of(value))]
        order += ready
        for s in ready:
            del waiting[s]
    return order
