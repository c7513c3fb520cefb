"""Smaller witnesses: a race in a huge launch, or far outside of arrays, often occurs in a small one, too.

Solvers give any model; one with few iterations, small inputs and indexes within arrays is quicker to run, and
easier to read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

from msgspec.structs import replace

from hgrd.races.results.evidence import BarrierEvidence, Evidence
from hgrd.solve.query import Answer, Conflict, Query
from hgrd.terms import Op, Origin, Symbol, Term, const, le, symbols_of, var
from hgrd.terms.rewrite import bottom_up

_MOST: Final = {Origin.LOOP: 16, Origin.COUNT: 64, Origin.DIMENSION: 256, Origin.BLOCK: 64}
_OTHERS: Final = (8, 1 << 12)  # inputs and contents: the bound of a loop is often a product of them
E = TypeVar("E", Evidence, BarrierEvidence)


def smaller(evidence: E, decide: Callable[[Query], Answer]) -> E | None:
    """The same finding with a model of small numbers; None if none is found."""
    query = evidence.encoded.query
    terms = (*query.facts, *_guards(query), *query.between)
    indexes = [i for t in bottom_up(terms) if t.op is Op.READ and not t.array.startswith("float") for i in t.args]
    inside = [le(const(0), index) for index in indexes]
    for others in _OTHERS:
        bounds = [b for s in symbols_of(*terms) for b in _bounds(s, _MOST.get(s.origin, others))]
        narrower = replace(query, between=(*query.between, *bounds, *inside))
        answer = decide(narrower)
        if isinstance(answer, Conflict):
            return replace(evidence, encoded=replace(evidence.encoded, query=narrower), model=answer.model)
    return None


def _guards(query: Query) -> tuple[Term, ...]:
    return (*query.first.guards, query.first.address, *query.second.guards, query.second.address)


def _bounds(symbol: Symbol, most: int) -> list[Term]:
    high = [le(var(symbol), const(most))] if symbol.low <= most < symbol.high else []
    low = [le(const(-most), var(symbol))] if symbol.low < -most <= symbol.high else []
    return high + low
