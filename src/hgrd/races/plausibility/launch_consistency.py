"""Launch consistency: the extents of a witness satisfy all facts of the host about them.

A query holds the facts that bear on its two accesses.  Host facts about an extent that the accesses do not depend on
only decide whether there is such a launch at all.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from hgrd.host.model import Fact
from hgrd.races.encoding.pair_query import EncodedPair
from hgrd.races.encoding.query_assembly import cone
from hgrd.solve.query import Answer, Conflict, Model, Proved, Query, Undecided
from hgrd.terms import EvaluationError, evaluate, symbols_of


def consistent_launch(
    encoded: EncodedPair, found: Conflict, facts: tuple[Fact, ...], decide: Callable[[Query], Answer]
) -> tuple[EncodedPair, Answer]:
    """The same conflict, or the answer to the query with all facts on the extents of the launch.

    The facts of a conflict stay those that bear on the accesses; the query has the others after them.
    """
    c = encoded.threads.configuration
    extents = symbols_of(*c.grid, *c.block)
    said = {*encoded.query.facts}
    more = tuple(f for f in cone(facts, extents | symbols_of(*encoded.query.facts)) if f.term not in said)
    if _hold(more, found.model):
        return encoded, found
    symbols = symbols_of(*(f.term for f in more)) - {*encoded.query.shared}
    query = replace(
        encoded.query,
        shared=tuple(sorted((*encoded.query.shared, *symbols), key=lambda s: s.name)),
        facts=(*encoded.query.facts, *(f.term for f in more)),
    )
    answer = decide(query)
    match answer:
        case Conflict():
            return replace(encoded, query=query), answer
        case Proved():
            of = {f.term: f for f in facts}
            return replace(encoded, query=query, facts=tuple(of[term] for term in query.facts)), answer
        case Undecided():
            return encoded, found


def _hold(facts: tuple[Fact, ...], model: Model) -> bool:
    """Whether the facts hold with small values for what the model does not mention."""
    terms = tuple(f.term for f in facts)
    values = {s: max(s.low, min(s.high, 1)) for s in symbols_of(*terms)} | dict(model.values)
    try:
        return all(evaluate(terms, values, lambda array, index: model.reads.get((array, index), 0)))
    except EvaluationError:
        return False
