"""Locks that threads of one warp spin on, and give back behind the loop.

Without independent thread scheduling (before Volta), the threads of a warp that leave a loop wait behind it for those
that go on: who has the lock never gives it back, and the others never get it (CUDA Programming Guide, "Independent
Thread Scheduling").  Where the lock is given back inside of the loop, the threads come back together in each iteration.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import perf_counter
from typing import TypeAlias

from hgrd.cuda.memory_model import Scope
from hgrd.findings.model import Confidence, Divergence, DivergenceRule, FactUse
from hgrd.host.model import Fact
from hgrd.program.span import Span
from hgrd.protocol.model import Access, Barrier, Protocol, accesses
from hgrd.protocol.phases.parallelism import Party
from hgrd.races.barriers.participants import participants_of
from hgrd.races.barriers.paths import DivergencePath, MissKind
from hgrd.races.encoding.path_query import encode_path
from hgrd.races.results.witness import barrier_witness
from hgrd.races.sync.acquire_release import Handshakes, modifies
from hgrd.races.sync.locks import takes_lock
from hgrd.races.sync.program_order import Spot, meeting, placement
from hgrd.solve.query import Answer, Conflict, Query
from hgrd.terms import Term, conj, eq, symbols_of

Decide: TypeAlias = Callable[[Query], Answer]


def livelocks(protocol: Protocol, facts: tuple[Fact, ...], decide: Decide, deadline: float) -> tuple[Divergence, ...]:
    """Each loop that takes a lock once, with two threads of a warp that want the same one in the same iterations."""
    if not protocol.symbols.observed:
        return ()
    everything = (*facts, *protocol.configuration.facts)
    found: dict[Span, Divergence] = {}
    for spot, taking, giving in _spins(protocol):
        if taking.span not in found and perf_counter() < deadline:
            livelock = _livelock(protocol, everything, decide, (spot, taking, giving))
            if livelock is not None:
                found[taking.span] = livelock
    return tuple(found.values())


def _spins(protocol: Protocol) -> Iterator[tuple[Spot, Access, Access]]:
    """What takes a lock in a loop, and what gives it back behind that loop."""
    handshakes = Handshakes(protocol, placement(protocol))
    for giving in accesses(protocol.items):
        if not modifies(giving):
            continue
        here = handshakes.placement.of(giving)
        for acquire in handshakes.acquires(giving):
            taking = acquire.spot.item
            if acquire.delegated or not isinstance(taking, Access) or not takes_lock(acquire):
                continue
            same = acquire.seen.target.key == giving.target.key and acquire.offset is giving.offset
            if same and giving.value is not acquire.seen.value and acquire.spot.depth > meeting(acquire.spot, here):
                yield acquire.spot, taking, giving


def _livelock(
    protocol: Protocol, facts: tuple[Fact, ...], decide: Decide, spin: tuple[Spot, Access, Access]
) -> Divergence | None:
    """Two threads of a warp take the same lock in the same iterations of the loops around the loop that takes it."""
    spot, taking, giving = spin
    binders = tuple(loop.binder for loop in spot.around[:-1])
    begin = tuple(g for g in taking.guards if not _tells_of(g, taking, protocol))
    of_warp = participants_of(protocol, Barrier(Scope.WARP, begin, taking.span), binders)
    sides = [of_warp.threads.of((conj(*begin), taking.offset), side) for side in Party]
    (first, one), (second, other) = sides
    between = (*of_warp.members(), eq(one, other))
    encoded = encode_path(protocol, facts, DivergencePath(MissKind.LOOP, of_warp, (first,), (second,), between, ()), ())
    answer = decide(encoded.query)
    if not isinstance(answer, Conflict) or encoded.unknown:
        return None
    return Divergence(
        DivergenceRule.LIVELOCK,
        taking.span,
        "warp",
        "lock",
        giving.span,
        Confidence.DATA_DEPENDENT if encoded.data else Confidence.DEFINITE,
        barrier_witness(encoded, binders, answer.model, alone=False),
        tuple(FactUse(f.text, f.kind.value, f.span) for f in encoded.facts),
        answer.method,
    )


def _tells_of(guard: Term, taking: Access, protocol: Protocol) -> bool:
    """Whether a condition is about what the lock was before: nothing is known of that in the first iteration."""
    seen = (protocol.symbols.observed[s.name] for s in symbols_of(guard) if s.name in protocol.symbols.observed)
    return any(o.target.key == taking.target.key for o in seen)
