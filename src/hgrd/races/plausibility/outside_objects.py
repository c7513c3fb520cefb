"""Addresses before the beginning of an object: conflicts that are found only there.

Such an access has no meaning (C++ [expr.add]), and where sizes and offsets are input, some values lead
there.  So a race counts if it is found inside the object; if no such conflict is known, it needs a precondition, or is
not decided.  Where a pointer from outside leads is taken for the beginning of an object.
"""

from __future__ import annotations

from msgspec.structs import replace

from hgrd.races.encoding.pair_query import EncodedPair
from hgrd.solve.query import Model
from hgrd.terms import EvaluationError, const, evaluate, le


def is_before(encoded: EncodedPair, model: Model) -> bool:
    """Whether the two meet before the beginning of the object, in a model."""
    query = encoded.query
    try:
        places = evaluate(
            (query.first.address, query.second.address),
            model.values,
            lambda array, index: model.reads.get((array, index), 0),
        )
    except (EvaluationError, KeyError):
        return False
    return min(places) < 0


def inside(encoded: EncodedPair) -> EncodedPair:
    """The same question, of accesses that are not before the beginning of the object."""
    query = encoded.query
    places = tuple(le(const(0), party.address) for party in (query.first, query.second))
    return replace(encoded, query=replace(query, between=(*query.between, *places)))
