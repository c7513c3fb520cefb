"""Tickets handed on by shuffles: a proof that what the lanes of a warp get from one of them is what it has drawn.

    if (lane == leader) base = atomicAdd(count, __popc(mask));
    base = __shfl_sync(mask, base, leader);

CUDA Programming Guide, "Warp Shuffle Functions".
"""

from __future__ import annotations

from collections.abc import Callable

from hgrd.host.model import Fact
from hgrd.protocol.alike import UniformGroup
from hgrd.protocol.model import Access, Protocol
from hgrd.protocol.phases.parallelism import Side
from hgrd.races.atomic_updates.laws import amount_of
from hgrd.races.encoding.query_assembly import cone, query_of, with_extents
from hgrd.races.encoding.warp_values import made_together
from hgrd.races.sync.tickets import Gives
from hgrd.races.threads.two_threads import ThreadPair, abstract_floats
from hgrd.solve.query import Answer, Proved, Query
from hgrd.terms import Term, conj, const, eq, negate, symbols_of, var


def gives_tickets(protocol: Protocol, facts: tuple[Fact, ...], decide: Callable[[Query], Answer]) -> Gives:
    """The proof, for a group of threads with a giver, and the addition by which the giver has drawn.

    There must be no thread of the group (the first of the two) that meets the conditions, and giver (the second), in
    the same iterations, such that the giver does not take part, gives something else, or knows another place or another
    amount.
    """
    threads = ThreadPair(protocol.symbols.private, protocol.configuration, same_block=True)

    def gives(group: UniformGroup, drawn: Access, known: tuple[Term, ...]) -> bool:
        if group.giver is None or group.source is None or drawn.result is None:
            return False
        taking_part = (group.member, *group.guards)
        common = (drawn.offset, amount_of(drawn))
        (own, *here), (given, result, *there) = (
            threads.of((group.giver, *common), Side.FIRST),
            threads.of((group.source, var(drawn.result), *common), Side.SECOND),
        )
        met = conj(
            *threads.of(taking_part, Side.SECOND),
            eq(given, result),
            *(eq(x, y) for x, y in zip(here, there, strict=True)),
        )
        between: tuple[Term, ...] = (
            *threads.of((*taking_part, *known), Side.FIRST),
            *(eq(*(threads.of((t,), party)[0] for party in Side)) for t in (*group.terms, *map(var, group.loops))),
            eq(threads.number(Side.SECOND), own),
            negate(met),
        )
        between = abstract_floats((*between, *made_together(protocol, threads, between)))
        used = cone(facts, with_extents(threads, symbols_of(*between)))
        nowhere = (const(0), (), 1)
        return isinstance(decide(query_of(threads, used, nowhere, nowhere, between)), Proved)

    return gives
