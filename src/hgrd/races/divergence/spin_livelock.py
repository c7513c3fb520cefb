"""Spin livelock: locks that threads of one warp spin on, and give back after the loop.

Without independent thread scheduling (before Volta), the threads of a warp that leave a loop wait after it for those
that go on: the thread that has the lock never gives it back, and the others never get it (CUDA Programming Guide,
"Independent Thread Scheduling").  Where the lock is given back inside of the loop, the threads come back together in
each iteration.
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
from hgrd.protocol.phases.parallelism import Side
from hgrd.races.acquire_release.accesses import modifies
from hgrd.races.acquire_release.events import acquire_release
from hgrd.races.acquire_release.program_order import Position, meeting
from hgrd.races.barriers.participants import participants_of
from hgrd.races.barriers.paths import DivergencePath, MissKind
from hgrd.races.encoding.path_query import encode_path
from hgrd.races.results.witness import barrier_witness
from hgrd.races.sync.lock_table import takes_lock
from hgrd.solve.query import Answer, Conflict, Query
from hgrd.terms import Term, conj, eq, symbols_of

Decide: TypeAlias = Callable[[Query], Answer]


def livelocks(protocol: Protocol, facts: tuple[Fact, ...], decide: Decide, deadline: float) -> tuple[Divergence, ...]:
    """The loops that take a lock, with two threads of a warp that want the same one in the same iterations."""
    if not protocol.symbols.observed:
        return ()
    everything = (*facts, *protocol.configuration.facts)
    found: dict[Span, Divergence] = {}
    for position, taking, giving in _spins(protocol):
        if taking.span not in found and perf_counter() < deadline:
            livelock = _livelock(protocol, everything, decide, (position, taking, giving))
            if livelock is not None:
                found[taking.span] = livelock
    return tuple(found.values())


def _spins(protocol: Protocol) -> Iterator[tuple[Position, Access, Access]]:
    """The accesses that take a lock in a loop, with their positions and those that give it back after that loop."""
    events = acquire_release(protocol)
    for giving in accesses(protocol.items):
        if not modifies(giving):
            continue
        here = events.order.of(giving)
        for acquire in events.acquires(giving):
            taking = acquire.position.item
            if acquire.delegated or not isinstance(taking, Access) or not takes_lock(acquire):
                continue
            same = acquire.seen.target.key == giving.target.key and acquire.offset is giving.offset
            if (
                same
                and giving.value is not acquire.seen.value
                and acquire.position.depth > meeting(acquire.position, here)
            ):
                yield acquire.position, taking, giving


def _livelock(
    protocol: Protocol, facts: tuple[Fact, ...], decide: Decide, spin: tuple[Position, Access, Access]
) -> Divergence | None:
    """Two threads of a warp that take the same lock in the same iterations of the loops around the one that takes it.

    None if there are no such threads, or they depend on unknown values.
    """
    position, taking, giving = spin
    binders = tuple(loop.binder for loop in position.around[:-1])
    begin = tuple(g for g in taking.guards if not _depends_on_lock(g, taking, protocol))
    of_warp = participants_of(protocol, Barrier(Scope.WARP, begin, taking.span), binders)
    sides = [of_warp.threads.of((conj(*begin), taking.offset), side) for side in Side]
    (first, one), (second, other) = sides
    between = (*of_warp.distinct(), eq(one, other))
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


def _depends_on_lock(guard: Term, taking: Access, protocol: Protocol) -> bool:
    """Whether a condition is about the earlier value of the lock: that is unknown in the first iteration."""
    seen = (protocol.symbols.observed[s.name] for s in symbols_of(guard) if s.name in protocol.symbols.observed)
    return any(o.target.key == taking.target.key for o in seen)
