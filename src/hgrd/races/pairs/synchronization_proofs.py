"""Proofs that two accesses never meet, which make an object a lock and a flag the flag of a single thread."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from hgrd.cuda.memory_model import AccessKind, Level, Space
from hgrd.host.model import Fact
from hgrd.protocol.model import Access, Protocol, accesses
from hgrd.protocol.phases.parallelism import ParallelCase
from hgrd.protocol.phases.phases import Phases
from hgrd.races.acquire_release.events import acquire_release
from hgrd.races.acquire_release.separate_words import separate_words
from hgrd.races.encoding.pair_query import Pair, PairEncoder
from hgrd.races.sync.context import sync_context
from hgrd.races.sync.synchronization import Synchronization, by_tickets_alone, synchronization
from hgrd.races.sync.tickets import Tickets
from hgrd.solve.query import Answer, Proved, Query


class SolverProofs(Struct, frozen=True):
    """Proofs by the solver, with queries that assume no other synchronisation than tickets."""

    encoder: PairEncoder
    phases: Phases
    decide: Callable[[Query], Answer]

    def ordered_or_disjoint(self, a: Access, b: Access) -> bool:
        levels = [level for level in Level if level is not Level.INTER_BLOCK or a.space is not Space.SHARED]
        pairs = [Pair(a, b, level, self.phases.may_happen_in_parallel(a, b, level)) for level in levels]
        return all(self._proved(p) for p in pairs if p.orders)

    def disjoint_across_blocks(self, a: Access, b: Access) -> bool:
        return a.space is Space.SHARED or self._proved(Pair(a, b, Level.INTER_BLOCK, (ParallelCase(),)))

    def disjoint_across_threads(self, a: Access, b: Access) -> bool:
        if a.space is Space.SHARED:
            return self.disjoint_within_block(a, b)
        return self._proved(Pair(a, b, None, (ParallelCase(),)))

    def disjoint_within_block(self, a: Access, b: Access) -> bool:
        levels = (Level.INTRA_WARP, Level.INTRA_BLOCK)
        return all(self._proved(Pair(a, b, level, (ParallelCase(),))) for level in levels)

    def _proved(self, pair: Pair) -> bool:
        return isinstance(self.decide(self.encoder.encode(pair, bounded=False).query), Proved)


def infer_synchronization(
    protocol: Protocol, facts: tuple[Fact, ...], phases: Phases, decide: Callable[[Query], Answer], tickets: Tickets
) -> Synchronization:
    """The synchronisation of a protocol other than barriers: locks, flags, counters, tickets."""
    plain = by_tickets_alone(tickets, protocol)
    if not protocol.symbols.observed and not protocol.gaps and not _looks_at_choices(protocol):
        return plain
    proofs = SolverProofs(PairEncoder(protocol, facts, plain), phases, decide)
    words = separate_words(protocol)
    return synchronization(sync_context(words.protocol, acquire_release(words.protocol), tickets, proofs), words)


def _looks_at_choices(protocol: Protocol) -> bool:
    """Whether atomics or volatile reads look at one of several objects, which is observed of none of them."""
    looks = (a for a in accesses(protocol.items) if a.kind is AccessKind.ATOMIC or a.volatile)
    return any(a.result is not None and a.result.name not in protocol.symbols.observed for a in looks)
