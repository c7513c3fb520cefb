"""From a way to miss a barrier to the query that decides whether two threads take it."""

from __future__ import annotations

from itertools import chain

from msgspec import Struct

from hgrd.host.model import Fact
from hgrd.protocol.model import Protocol
from hgrd.races.barriers.paths import Way
from hgrd.races.encoding.pair_query import across, cone, made_together, query_of, split, with_extents
from hgrd.races.threads.two_threads import Naming, abstract_floats
from hgrd.solve.query import Query
from hgrd.terms import TRUE, Origin, Term, const, symbols_of
from hgrd.terms.rewrite import arrays_of


class PosedWay(Struct, frozen=True):
    """A query with the facts behind `Query.facts`.  The two parties touch one byte, the same: the barrier.

    `data` and `unknown` as for pairs of accesses.
    """

    query: Query
    facts: tuple[Fact, ...]
    naming: Naming
    data: bool
    unknown: tuple[str, ...]


def pose_way(protocol: Protocol, facts: tuple[Fact, ...], way: Way, extra: tuple[Term, ...]) -> PosedWay:
    """The query of a way, with more conditions between the two threads."""
    naming = way.team.naming
    between = (*way.between, *extra, *across(protocol, naming))
    between = (*between, *made_together(protocol, naming, (*way.first, *way.second, *between)))
    raw = (way.first, way.second, between)
    first, second, between = split(abstract_floats(tuple(chain(*raw))), map(len, raw))
    everything = (*first, *second, *between)
    used = cone(facts, with_extents(naming, symbols_of(*everything)))
    one, two = (tuple(dict.fromkeys(t for t in terms if t is not TRUE)) for terms in (first, second))
    byte = const(0)
    query = query_of(naming, used, (byte, one, 1), (byte, two, 1), between)
    symbols = symbols_of(*everything)
    unknown = tuple(sorted(s.name for s in symbols if s.origin is Origin.UNKNOWN))
    plain = tuple(chain(*raw))
    data = bool(arrays_of(*plain)) or any(s.origin in (Origin.DATA, Origin.COMPUTED) for s in symbols_of(*plain))
    return PosedWay(query, used, naming, data, unknown)
