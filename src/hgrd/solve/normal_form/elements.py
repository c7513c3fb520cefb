"""Element indexes instead of bytes: the same accesses to arrays of `float` and of `double` are one query."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from hgrd.solve.query import Query
from hgrd.terms import Op, Term, add, const, ite, mul, sub
from hgrd.terms.rewrite import bottom_up


def in_elements(query: Query) -> Query:
    """The query with addresses in units of the accesses' size, if both have one size and are aligned to it."""
    size = query.first.size
    if size == 1 or query.second.size != size:
        return query
    first, second = _divided(query.first.address, size), _divided(query.second.address, size)
    if first is None or second is None:
        return query
    return replace(
        query,
        first=replace(query.first, address=first, size=1),
        second=replace(query.second, address=second, size=1),
    )


def _divided(term: Term, by: int) -> Term | None:
    """The term divided by a number; None where its shape does not show that the number divides it."""
    done: dict[Term, Term | None] = {}
    for part in bottom_up((term,), _summands):
        done[part] = _quotient(part, by, done)
    return done[term]


def _summands(term: Term) -> tuple[Term, ...]:
    """The parts of a term that are divided where it is."""
    match term.op:
        case Op.MUL | Op.ADD | Op.SUB:
            return term.args
        case Op.ITE:
            return term.args[1:]
        case _:
            return ()


def _quotient(term: Term, by: int, parts: Mapping[Term, Term | None]) -> Term | None:
    match term.op:
        case Op.CONST:
            return const(term.value // by) if term.value % by == 0 else None
        case Op.MUL:
            one, two = term.args
            for part, other in ((one, two), (two, one)):
                divided = parts[part]
                if divided is not None:
                    return mul(divided, other)
            return None
        case Op.ADD | Op.SUB | Op.ITE:
            one, two = (parts[part] for part in _summands(term))
            if one is None or two is None:
                return None
            if term.op is Op.ITE:
                return ite(term.args[0], one, two)
            return add(one, two) if term.op is Op.ADD else sub(one, two)
        case _:
            return None
