"""Ticket locks: `me = next++; while (serving != me); … serving = me + 1;`

A thread draws a ticket that no other one has, waits until it is served, and hands the lock on to another ticket.  Only
it may do so then: so the critical sections follow each other, and each acquires what the one before has released.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from hgrd.cuda.memory_model import AccessKind, Level, Scope, Space
from hgrd.program.span import Span
from hgrd.protocol.model import Access, Observation, accesses
from hgrd.protocol.phases.parallelism import Side
from hgrd.races.acquire_release.accesses import modifies
from hgrd.races.acquire_release.events import Acquire, AcquireRelease
from hgrd.races.acquire_release.program_order import meeting
from hgrd.races.sync.context import SyncContext
from hgrd.races.sync.idiom import Idiom
from hgrd.races.sync.lock_table import changed_between
from hgrd.races.sync.tickets import Ticket, Tickets
from hgrd.races.threads.two_threads import ThreadPair
from hgrd.symbolic.values import MemorySpace
from hgrd.terms import Op, Term, conj, const, negate


class TicketLock(Struct, frozen=True):
    """Word that says whose turn it is, with the accesses that hand it on, and the key of the counter of tickets.

    `scope`: how far what a holder has done comes before the next one; None: it does not.
    """

    counter: tuple[str, Term]
    offset: Term
    handed_on: frozenset[int]
    scope: Scope | None


class TicketLocks(Idiom):
    """Mutual exclusion by tickets that are served in turn."""

    def __init__(self, known: SyncContext) -> None:
        self._events = known.events
        self._tickets = known.tickets
        self._locks = _ticket_locks(known.events, known.tickets)

    def constraints(self, a: Access, b: Access, threads: ThreadPair, level: Level | None) -> tuple[Term, ...]:
        """The two do not both have the same lock."""
        found: list[Term] = []
        for key, when in self._held(a):
            for other, when_other in self._held(b):
                if key == other and self._orders(key, threads):
                    both = (*threads.of((when,), Side.FIRST), *threads.of((when_other,), Side.SECOND))
                    found.append(negate(conj(*both)))
        return tuple(found)

    def assumptions(self, a: Access, b: Access) -> Iterator[tuple[str, Span | None]]:
        """No counter of tickets wraps around."""
        if {key for key, _ in self._held(a)} & {key for key, _ in self._held(b)}:
            yield "atomic counters do not wrap around", None

    def _orders(self, key: str, threads: ThreadPair) -> bool:
        scope = self._locks[key].scope
        if self._shared(key):
            return threads.same_block and scope is not None and scope.includes(Scope.BLOCK)
        return scope is not None and scope.includes(Scope.DEVICE)

    def _shared(self, key: str) -> bool:
        return any(a.target.space is MemorySpace.SHARED for _, a in self._events.order.changes(key))

    def _held(self, access: Access) -> Iterator[tuple[str, Term]]:
        """The locks that are held at an access and handed on after it, each with the condition for that."""
        here = self._events.order.of(access)
        for acquire, ticket in _served(access, self._events, self._tickets) if self._locks else ():
            lock = self._locks.get(acquire.seen.target.key)
            if lock is None or lock.scope is None or not acquire.fenced or not acquire.scope.includes(lock.scope):
                continue
            if _counter(ticket) != lock.counter or acquire.offset is not lock.offset:
                continue
            if access.number in lock.handed_on or not _in_turn(acquire, access, ticket, self._events):
                continue
            for release in self._events.releases(access):
                together = release.position.depth == meeting(acquire.position, here) == here.depth
                reaches = release.fenced and not release.apart and release.scope.includes(lock.scope)
                if release.write.number in lock.handed_on and together and reaches:
                    yield acquire.seen.target.key, conj(acquire.when, release.when)


def _ticket_locks(events: AcquireRelease, tickets: Tickets) -> Mapping[str, TicketLock]:
    """The ticket locks of a protocol, by the key of the word that says whose turn it is."""
    keys = sorted({o.target.key for o in events.protocol.symbols.observed.values()})
    found = {key: _ticket_lock(key, events, tickets) for key in keys} if tickets.known else {}
    return {key: lock for key, lock in found.items() if lock is not None}


def _ticket_lock(key: str, events: AcquireRelease, tickets: Tickets) -> TicketLock | None:
    """The word as that of a ticket lock; None: something else may change it than those whose turn it is."""
    changes = [a for a in accesses(events.protocol.items) if a.target.key == key and modifies(a)]
    handing = [_handing_on(a, events, tickets) for a in changes]
    counters = {_counter(ticket) for found in handing for ticket, _ in found}
    if not changes or len(counters) != 1 or not all(handing) or len({(a.offset, a.size) for a in changes}) > 1:
        return None
    (counter,) = counters
    scopes = [[s for _, s in found if s is not None] for found in handing]
    whole = all(scopes)
    return TicketLock(
        counter,
        changes[0].offset,
        frozenset(a.number for a in changes),
        min((max(s, key=_width) for s in scopes), key=_width) if whole else None,
    )


def _handing_on(write: Access, events: AcquireRelease, tickets: Tickets) -> list[tuple[Ticket, Scope | None]]:
    """How a write hands a lock on: by whose ticket, and how far it releases what its thread has acquired."""
    found: list[tuple[Ticket, Scope | None]] = []
    if write.kind is not AccessKind.ATOMIC or not write.offset.is_const:
        return found
    for acquire, ticket in _served(write, events, tickets):
        same = acquire.seen.target.key == write.target.key and acquire.offset is write.offset
        if same and _in_turn(acquire, write, ticket, events):
            reached = [r.scope for r in events.passed_on(acquire, write) if r.fenced and acquire.fenced]
            narrow = [min((s, acquire.scope), key=_width) for s in reached]
            found.append((ticket, max(narrow, key=_width) if narrow else None))
    return found


def _served(access: Access, events: AcquireRelease, tickets: Tickets) -> Iterator[tuple[Acquire, Ticket]]:
    """The waits before an access that have seen the thread's own ticket served."""
    here, observed = events.order.of(access), events.protocol.symbols.observed
    for condition in dict.fromkeys((*access.guards, *access.endings)):
        if condition.op is not Op.EQ or any(side.op is not Op.VAR for side in condition.args):
            continue
        for one, other in (condition.args, condition.args[::-1]):
            ticket = tickets.known.get(one.symbol.name)
            seen = observed.get(other.symbol.name)
            if ticket is not None and seen is not None and _only_looks(seen) and _is_one(ticket, tickets):
                for acquire in events.observed_before(access, here, other.symbol, condition):
                    yield acquire, ticket


def _only_looks(seen: Observation) -> bool:
    """Whether an observation leaves the word as it is."""
    return seen.operation in ("load", "") or (seen.operation in ("add", "or") and seen.value is const(0))


def _is_one(ticket: Ticket, tickets: Tickets) -> bool:
    """Whether it is a ticket that one thread has alone, of a counter that draws of one each alone change."""
    drawn, law = ticket.drawn, ticket.law
    if law.kind != "up" or ticket.amount is not const(1) or ticket.holders is not None or not drawn.offset.is_const:
        return False
    everywhere = drawn.scope is not None and drawn.scope.includes(Scope.DEVICE)
    return not tickets.resets.get((drawn.target.key, law)) and (everywhere or drawn.space is Space.SHARED)


def _in_turn(acquire: Acquire, access: Access, ticket: Ticket, events: AcquireRelease) -> bool:
    """Whether a thread gets from the draw, by the wait, to an access in one go, and has not handed the lock on."""
    here, drawn = events.order.of(access), events.order.of(ticket.drawn)
    in_one_go = here.depth == meeting(acquire.position, here) and drawn.depth == meeting(drawn, here) == here.depth
    return in_one_go and not changed_between(acquire, here, events)


def _counter(ticket: Ticket) -> tuple[str, Term]:
    return ticket.drawn.target.key, ticket.drawn.offset


def _width(scope: Scope) -> int:
    return list(Scope).index(scope)
