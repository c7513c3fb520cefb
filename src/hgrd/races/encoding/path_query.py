"""Queries of paths past a barrier: do two threads take the path?"""

from __future__ import annotations

from itertools import chain

from msgspec import Struct

from hgrd.host.model import Fact
from hgrd.protocol.model import Protocol
from hgrd.races.barriers.paths import DivergencePath
from hgrd.races.encoding.query_assembly import across, cone, query_of, split, with_extents
from hgrd.races.encoding.warp_values import made_together
from hgrd.races.threads.two_threads import ThreadPair, abstract_floats
from hgrd.solve.query import Query
from hgrd.terms import TRUE, Origin, Term, const, symbols_of
from hgrd.terms.rewrite import arrays_of


class EncodedPath(Struct, frozen=True):
    """Query of a path, with the facts whose terms are `Query.facts`.  Both parties touch one byte: the barrier.

    `data` and `unknown` are as in `EncodedPair`.
    """

    query: Query
    facts: tuple[Fact, ...]
    threads: ThreadPair
    data: bool
    unknown: tuple[str, ...]


def encode_path(
    protocol: Protocol, facts: tuple[Fact, ...], path: DivergencePath, extra: tuple[Term, ...]
) -> EncodedPath:
    """The query of a path, with `extra` conditions between the two threads."""
    threads = path.participants.threads
    between = (*path.between, *extra, *across(protocol, threads))
    between = (*between, *made_together(protocol, threads, (*path.first, *path.second, *between)))
    raw = (path.first, path.second, between)
    first, second, between = split(abstract_floats(tuple(chain(*raw))), map(len, raw))
    everything = (*first, *second, *between)
    used = cone(facts, with_extents(threads, symbols_of(*everything)))
    one, two = (tuple(dict.fromkeys(t for t in terms if t is not TRUE)) for terms in (first, second))
    byte = const(0)
    query = query_of(threads, used, (byte, one, 1), (byte, two, 1), between)
    symbols = symbols_of(*everything)
    unknown = tuple(sorted(s.name for s in symbols if s.origin is Origin.UNKNOWN))
    plain = tuple(chain(*raw))
    data = bool(arrays_of(*plain)) or any(s.origin in (Origin.DATA, Origin.COMPUTED) for s in symbols_of(*plain))
    return EncodedPath(query, used, threads, data, unknown)
