"""Synchronisation of one protocol by other means than barriers: all idioms together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from msgspec import Struct

from hgrd.cuda.memory_model import AccessKind, Level, needed_scope
from hgrd.program.span import Span
from hgrd.protocol.model import Access, Protocol
from hgrd.races.acquire_release.events import Acquire, AcquireRelease
from hgrd.races.acquire_release.flaws import Flaw
from hgrd.races.acquire_release.program_order import program_order
from hgrd.races.acquire_release.rings import RingOrder
from hgrd.races.acquire_release.separate_words import SeparateWords
from hgrd.races.sync.arrival_counters import ArrivalCounters
from hgrd.races.sync.collective_mistakes import CollectiveStorage
from hgrd.races.sync.context import SyncContext
from hgrd.races.sync.flags import FlagChains, Flags
from hgrd.races.sync.idiom import Idiom
from hgrd.races.sync.locks import Locks
from hgrd.races.sync.ownership import Ownership
from hgrd.races.sync.ticket_locks import TicketLocks
from hgrd.races.sync.tickets import DistinctTickets, Tickets
from hgrd.races.sync.unexplained_waits import looked_at, looks_beyond_block, unexplained_wait
from hgrd.races.threads.two_threads import ThreadPair
from hgrd.terms import Term


class Rings(Idiom):
    """Rings of barriers of a block, by which producers and consumers are ordered."""

    def __init__(self, protocol: Protocol) -> None:
        self._order = _ring_order(protocol)

    def constraints(self, a: Access, b: Access, threads: ThreadPair, level: Level | None) -> tuple[Term, ...]:
        """Neither thread has waited for an arrival of the other one after its access."""
        if self._order is None or level is None or level is Level.INTER_BLOCK:
            return ()
        return self._order.unordered(a, b, threads)

    def rings(self, level: Level | None) -> tuple[str, ...]:
        """All of them: arrivals and waits of one thread for others are not followed."""
        if self._order is None or level is Level.INTER_BLOCK:
            return ()
        return tuple(sorted({one for one, _ in self._order.lags}))


IDIOMS: Final[tuple[Callable[[SyncContext], Idiom], ...]] = (
    lambda known: DistinctTickets(known.tickets),
    Locks,
    TicketLocks,
    Flags,
    FlagChains,
    ArrivalCounters,
    Ownership,
    lambda known: Rings(known.protocol),
    lambda _: CollectiveStorage(),
)
"""The idioms that are known, as functions of what they share; the first one that explains an acquire decides."""

_WORD = 8  # bytes that are read and written at once
_SIGNAL = {AccessKind.READ, AccessKind.WRITE}


class Synchronization(Struct, frozen=True):
    """Synchronisation idioms of one protocol.

    `events` is None where the kernel observes no atomics or volatile reads: then tickets are its only idiom.
    `words`: the words of its objects, to which the idioms take accesses to go; None: to the objects.
    """

    tickets: Tickets
    idioms: tuple[Idiom, ...]
    events: AcquireRelease | None = None
    words: SeparateWords | None = None

    def constraints(self, a: Access, b: Access, threads: ThreadPair, level: Level | None) -> tuple[Term, ...]:
        """The conditions under which the two are not ordered."""
        a, b = self._at_words(a, b)
        return tuple(t for idiom in self.idioms for t in idiom.constraints(a, b, threads, level))

    def without_third_party(self, a: Access, b: Access, threads: ThreadPair, level: Level | None) -> tuple[Term, ...]:
        """Further conditions under which no third thread has ended a wait of one for the other."""
        a, b = self._at_words(a, b)
        return tuple(t for idiom in self.idioms for t in idiom.without_third_party(a, b, threads, level))

    def assumptions(self, a: Access, b: Access) -> Iterator[tuple[str, Span | None]]:
        """The assumptions of the constraints on the two, in words, and their places (None: the whole kernel)."""
        a, b = self._at_words(a, b)
        for idiom in self.idioms:
            yield from idiom.assumptions(a, b)

    def signals(self, a: Access, b: Access) -> bool:
        """Whether the two are a volatile write and a loop that waits for it: they make order and need none."""
        if self.events is None or not (a.volatile and b.volatile) or {a.kind, b.kind} != _SIGNAL:
            return False
        return a.size == b.size <= _WORD and any(map(self.events.observations.polls, (a, b)))

    def awaited(self, a: Access, b: Access, level: Level | None = None) -> tuple[str, ...]:
        """What either thread has looked at before, to learn what others have done: names of variables, or words.

        Shared memory alone tells nothing of other blocks.
        """
        rings = tuple(ring for idiom in self.idioms for ring in idiom.rings(level))
        if rings or self.events is None or (level is Level.INTER_BLOCK and not looks_beyond_block(self.events)):
            return rings
        observed = {q.seen.target.name for x in (a, b) for q in self.events.acquires(x)}
        return tuple(sorted(observed.union(*(looked_at(self.events, x) for x in (a, b)))))

    def _at_words(self, a: Access, b: Access) -> tuple[Access, Access]:
        """The two with the words that they go to for their targets."""
        return (a, b) if self.words is None else (self.words.of(a), self.words.of(b))

    # ------------------------------------------------------------ order that is not understood

    def unclear(self, a: Access, b: Access) -> str | None:
        """The reason why the two may be ordered in a way that the constraints do not describe; None: no reason."""
        a, b = self._at_words(a, b)
        found = self._unclear(a, b) or self._unclear(b, a)
        return None if found is None else _may_order(found)

    def _unclear(self, before: Access, after: Access) -> Access | None:
        for idiom in self.idioms:
            found = idiom.unclear(before, after)
            if found is not None:
                return found
        if self.events is None:
            return None
        return unexplained_wait(self.events, before, after, lambda q: self._explains(before, after, q))

    def _explains(self, before: Access, after: Access, acquire: Acquire) -> bool:
        answers = (idiom.explains(before, after, acquire) for idiom in self.idioms)
        return next((answer for answer in answers if answer is not None), False)

    def set_by_third_party(self, a: Access, b: Access) -> str | None:
        """The write that one thread waits for and that the other one or a third one makes, in words; None: none."""
        a, b = self._at_words(a, b)
        found = (idiom.set_by_third_party(a, b) for idiom in self.idioms)
        return next((_may_order(write) for write in found if write is not None), None)

    # ------------------------------------------------------------ order that should be there

    def find_flaw(self, a: Access, b: Access, level: Level) -> Flaw | None:
        """The flaw for which the synchronisation around two racing accesses does not order them; None: no flaw."""
        a, b = self._at_words(a, b)
        needed = needed_scope(level)
        sides = ((a, b), (b, a))
        found = (f for side in sides for idiom in self.idioms for f in idiom.flaws(*side, needed))
        misused = (f for idiom in self.idioms if (f := idiom.misuse(a, b)) is not None)
        return next(found, None) or next(misused, None)


def synchronization(known: SyncContext, words: SeparateWords) -> Synchronization:
    """All idioms of a protocol, with knowledge of it in which separate words are objects of their own."""
    return Synchronization(known.tickets, tuple(idiom(known) for idiom in IDIOMS), known.events, words)


def by_tickets_alone(tickets: Tickets, protocol: Protocol) -> Synchronization:
    """The tickets of a protocol and its rings of barriers, without any other idiom."""
    return Synchronization(tickets, (DistinctTickets(tickets), Rings(protocol), CollectiveStorage()))


def _ring_order(protocol: Protocol) -> RingOrder | None:
    if not protocol.lags:
        return None
    return RingOrder(protocol.lags, program_order(protocol), protocol.configuration)


def _may_order(write: Access) -> str:
    return f"a wait for {write.target.name}, set in line {write.span.line}, may order them"
