"""What two threads know of each other by other means than barriers: counters, locks and flags."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from hgrd.cuda.memory_model import AccessKind, Level
from hgrd.program.span import Span
from hgrd.protocol.model import Access, Fence
from hgrd.races.sync.acquire_release import Acquire, Handshakes, exclude, modifies
from hgrd.races.sync.arrival_counters import Counters
from hgrd.races.sync.flags import Flags
from hgrd.races.sync.locks import Locks, takes_lock
from hgrd.races.sync.ownership import Claims
from hgrd.races.sync.program_order import Spot, may_follow, meeting
from hgrd.races.sync.tickets import Tickets
from hgrd.races.threads.two_threads import ThreadPair
from hgrd.terms import Origin, Term, symbols_of

_MOVING = {Origin.DATA, Origin.COMPUTED, Origin.UNKNOWN, Origin.LOOP}
_WORD = 8  # bytes that are read and written at once
_SIGNAL = {AccessKind.READ, AccessKind.WRITE}


class Handshaking(Struct, frozen=True):
    """What a kernel that observes atomics or volatile reads makes of them."""

    handshakes: Handshakes
    locks: Locks
    flags: Flags
    counters: Counters
    claims: Claims

    def constraints(self, a: Access, b: Access, threads: ThreadPair, level: Level | None) -> tuple[Term, ...]:
        return (
            *self.locks.constraints(a, b, threads, level),
            *self.flags.constraints(a, b, threads, level),
            *self.counters.constraints(a, b, threads, level),
            *self.claims.constraints(a, b, threads, level),
        )

    def set_by_others(self, a: Access, b: Access) -> Access | None:
        """What one sets behind its access that the other one waits for, where a third thread may set it as well."""
        waits = (w for pair in ((a, b), (b, a)) for w in self.flags.shared_waits(*pair))
        return next((r.write for w in waits for r in w.releases), None)

    def understood(self, before: Access, after: Access, acquire: Acquire) -> bool:
        """Whether it is known what the acquire of `after` says of `before`, if fences and scopes suffice."""
        if takes_lock(acquire):
            return True
        if self._as_a_lock(before, acquire):
            return not self.flags.set_by_several(before, acquire)
        somebody = self.handshakes.handed_to_somebody(before)
        found = self.flags.waits(before, after, fenced=False)
        waits = (w.acquire for w in found if somebody.isdisjoint(r.write.number for r in w.releases))
        meetings = (q for q, _ in self.counters.meetings(before, after))
        return any(q.symbol == acquire.symbol for q in (*waits, *meetings))

    def _as_a_lock(self, before: Access, acquire: Acquire) -> bool:
        """Whether an atomic looks at a lock, that the thread of `before` itself changes behind it, if any does, once.

        What a loop sets may be waited for in one of its iterations, and what some thread of the block sets behind a
        barrier is set for all.
        """
        if not acquire.seen.operation or acquire.seen.target.key not in self.locks.sound:
            return False
        placement = self.handshakes.placement
        there, somebody = placement.of(before), self.handshakes.handed_to_somebody(before)
        changes = [s for s, a in placement.changes(acquire.seen.target.key) if modifies(a)]
        by_others = any(isinstance(s.item, Access) and s.item.number in somebody for s in changes)
        return not by_others and not any(may_follow(s, there) and meeting(s, there) < s.depth for s in changes)

    def awaited(self, a: Access, b: Access) -> tuple[str, ...]:
        """As of `Communication`."""
        return tuple(sorted({q.seen.target.name for x in (a, b) for q in self.handshakes.acquires(x)}))

    def unclear(self, before: Access, after: Access) -> Access | None:
        """A wait of `after` for something that is written behind `before`, of which no more is known.

        Or what may let a third thread into a lock that both take.
        """
        opened = self.locks.opened(before, after)
        if opened is not None:
            return opened
        here, there = (self.handshakes.placement.of(x) for x in (after, before))
        unknown = [
            q for q in self.handshakes.acquires(after) if _waits(q, here) and not self.understood(before, after, q)
        ]
        waited = {q.seen.target.key for q in unknown}
        own = [q.spot for q in unknown]
        for tests in self.handshakes.alternatives(after):
            if not any(_spins(spot) for _, _, spot in tests):
                continue
            waited |= {self.handshakes.protocol.symbols.observed[symbol.name].target.key for symbol, _, _ in tests}
        waited |= self._looked_for_in_loops(after)
        for spot in self.handshakes.placement.spots if waited else ():
            match spot.item:
                case Access() as write if write.target.key in waited and modifies(write) and spot not in own:
                    if may_follow(spot, there) and not exclude(write, before):
                        return write
                case _:
                    pass
        return None

    def _looked_for_in_loops(self, after: Access) -> set[str]:
        """Flags that the thread may have waited for in iterations before, of which the access tells nothing."""
        placement = self.handshakes.placement
        here, known = placement.of(after), [q.spot for q in self.handshakes.acquires(after)]
        seen = {(o.span, o.stack) for o in self.handshakes.protocol.symbols.observed.values()}
        return {
            s.item.target.key
            for s in placement.spots
            if isinstance(s.item, Access) and (s.item.span, s.item.stack) in seen and not modifies(s.item)
            if _spins(s) and s.depth > meeting(s, here) + 1 and may_follow(here, s)
            if s not in known and not exclude(s.item, after)
        }


class Communication(Struct, frozen=True):
    """`handshaking` is None where the kernel has nothing to make locks, flags and counters of arrivals of."""

    tickets: Tickets
    handshaking: Handshaking | None = None

    def constraints(self, a: Access, b: Access, threads: ThreadPair, level: Level | None) -> tuple[Term, ...]:
        """What holds for the two where they are not ordered."""
        found = self.tickets.constraints(a, b, threads)
        return found if self.handshaking is None else (*found, *self.handshaking.constraints(a, b, threads, level))

    def signals(self, a: Access, b: Access) -> bool:
        """The two are a volatile write and a loop that waits for it: they make order and need none."""
        if self.handshaking is None or not (a.volatile and b.volatile) or {a.kind, b.kind} != _SIGNAL:
            return False
        return a.size == b.size <= _WORD and any(map(self.handshaking.handshakes.polls, (a, b)))

    def unclear(self, a: Access, b: Access) -> str | None:
        """Why the two may be ordered, in a way that is not understood."""
        if self.handshaking is None:
            return None
        found = self.handshaking.unclear(a, b) or self.handshaking.unclear(b, a)
        if found is None:
            return None
        return _may_order(found)

    def unless_set_by_others(self, a: Access, b: Access, threads: ThreadPair, level: Level | None) -> tuple[Term, ...]:
        """What holds besides for the two where a third thread need not have ended a wait of one for the other."""
        return () if self.handshaking is None else self.handshaking.flags.unless_set_by_others(a, b, threads, level)

    def set_by_others(self, a: Access, b: Access) -> str | None:
        """What one of the two waits for that the other one sets, or a third thread does."""
        found = None if self.handshaking is None else self.handshaking.set_by_others(a, b)
        return None if found is None else _may_order(found)

    def awaited(self, a: Access, b: Access) -> tuple[str, ...]:
        """The variables that either thread has looked at before to know what others have done."""
        if self.handshaking is None:
            return ()
        return self.handshaking.awaited(a, b)

    def assumptions(self, a: Access, b: Access) -> Iterator[tuple[str, Span | None]]:
        """What the constraints on the two rest on, with where (None: in the whole kernel)."""
        if self.tickets.bear_on(a, b):
            yield "atomic counters do not wrap around", None
        if self.handshaking is not None:
            yield from self.handshaking.flags.assumptions(a, b)
            yield from self.handshaking.counters.assumptions(a, b)


def _may_order(write: Access) -> str:
    return f"a wait for {write.target.name}, set in line {write.span.line}, may order them"


def _waits(acquire: Acquire, here: Spot) -> bool:
    """Whether the acquire is a loop that does nothing else until it succeeds, or tells who comes last."""
    if acquire.spot.depth <= meeting(acquire.spot, here):
        return acquire.delegated and acquire.seen.operation in ("add", "inc", "dec", "sub")
    loop = acquire.spot.around[-1]
    return all(
        isinstance(i, Fence) or (isinstance(i, Access) and i.target.key == acquire.seen.target.key) for i in loop.items
    )


def _spins(spot: Spot) -> bool:
    """Whether the innermost loop around the access does nothing else, always at one place."""
    access = spot.item
    if not spot.around or not isinstance(access, Access):
        return False
    moves = any(s.origin in _MOVING for s in symbols_of(access.offset))
    return not moves and all(
        isinstance(i, Fence) or (isinstance(i, Access) and i.offset is access.offset) for i in spot.around[-1].items
    )
