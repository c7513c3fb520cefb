"""Order by rings of barriers: producers and consumers, who arrive at some barriers and wait at others.

A thread that has waited for the arrivals up to some number comes after all that others have done before these (CUDA C++
Programming Guide, "Asynchronous Barrier"; PTX ISA, "bar, barrier": arrivals release, waits acquire).
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from hgrd.protocol.model import Access, ProtocolLoop
from hgrd.protocol.phases.parallelism import Side
from hgrd.protocol.ring_events import Lags, RingEvent
from hgrd.races.acquire_release.program_order import Position, ProgramOrder, precedes
from hgrd.races.threads.two_threads import ThreadPair
from hgrd.terms import TRUE, Term, add, conj, const, le, negate, sub, substitute, var


class RingOrder(Struct, frozen=True):
    """The order that the rings of a protocol make: `lags` say how they are related, `order` is that of its items."""

    lags: Lags
    order: ProgramOrder

    def unordered(self, a: Access, b: Access, threads: ThreadPair) -> tuple[Term, ...]:
        """The conditions under which neither thread, of one block, has waited for the other one after its access."""
        return (*self._unordered(a, b, threads, Side.FIRST), *self._unordered(b, a, threads, Side.SECOND))

    def _unordered(self, before: Access, after: Access, threads: ThreadPair, side: Side) -> Iterator[Term]:
        waits = list(_waits(self.order, self.order.of(after)))
        for one, arrived, at in _arrivals(self.order, self.order.of(before)):
            for other, waited, until in waits:
                lag = self.lags.get((other.ring, one.ring))
                if lag is None:
                    continue
                done, number = threads.of((conj(*one.guards, arrived), at), side)
                seen, known = threads.of((conj(*other.guards, waited), until), side.other)
                yield negate(conj(done, seen, le(number, add(known, const(lag)))))


def _arrivals(order: ProgramOrder, here: Position) -> Iterator[tuple[RingEvent, Term, Term]]:
    """The arrivals after an access, each with the condition for it, and the number of the first one there."""
    for position in order.positions:
        event = position.item
        if not isinstance(event, RingEvent) or event.arrival is None:
            continue
        if not position.around:
            if precedes(here, position):
                yield event, TRUE, event.arrival
            continue
        (loop,) = position.around
        if _inside(here, loop):
            ahead = 0 if precedes(here, position) else 1
            yield event, TRUE, _at(event.arrival, loop, add(var(loop.binder), const(ahead)))
        elif precedes(here, position):
            yield event, TRUE, _at(event.arrival, loop, const(0))


def _waits(order: ProgramOrder, here: Position) -> Iterator[tuple[RingEvent, Term, Term]]:
    """The waits before an access, each with the condition for it, and the number of the last arrival waited for."""
    for position in order.positions:
        event = position.item
        if not isinstance(event, RingEvent) or event.waits is None:
            continue
        if not position.around:
            if precedes(position, here):
                yield event, TRUE, event.waits
            continue
        (loop,) = position.around
        inside, early = _inside(here, loop), precedes(position, here)
        if inside and early:
            yield event, TRUE, event.waits
        elif inside or early:
            last = sub(var(loop.binder if inside else loop.count), const(1))
            yield event, le(const(0), last), _at(event.waits, loop, last)


def _inside(position: Position, loop: ProtocolLoop) -> bool:
    return any(loop is x for x in position.around)


def _at(index: Term, loop: ProtocolLoop, iteration: Term) -> Term:
    return substitute((index,), {loop.binder: iteration})[0]
