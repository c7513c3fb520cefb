"""Order by rings of barriers: producers and consumers, who arrive at some barriers and wait at others.

A thread that has waited for the arrivals up to some number comes after all that others have done before these (CUDA C++
Programming Guide, "Asynchronous Barrier"; PTX ISA, "bar, barrier": arrivals release, waits acquire).
"""

from __future__ import annotations

from collections.abc import Container, Iterator

from msgspec import Struct
from msgspec.structs import replace

from hgrd.cuda.limits import WARP_SIZE
from hgrd.protocol.model import Access, Barrier, Configuration, Exit, ProtocolLoop
from hgrd.protocol.phases.parallelism import Side
from hgrd.protocol.ring_events import Lags, RingEvent
from hgrd.protocol.rings.sites import OF_BLOCK, threads_where
from hgrd.races.acquire_release.program_order import Position, ProgramOrder, precedes
from hgrd.races.threads.two_threads import ThreadPair
from hgrd.terms import (
    TRUE,
    Origin,
    Symbol,
    Term,
    add,
    conj,
    const,
    disj,
    div,
    eq,
    le,
    negate,
    sub,
    substitute,
    symbols_of,
    var,
)


class Told(Struct, frozen=True):
    """What an arrival or a wait says of a thread, where its `guards` hold: the number of the arrival.

    `warps`: another lane arrives or waits for it, in these warps; None: it does so itself.
    """

    ring: str
    guards: tuple[Term, ...]
    number: Term
    warps: frozenset[int] | None = None


class RingOrder(Struct, frozen=True):
    """The order that the rings of a protocol make: `lags` say how they are related, `order` is that of its items."""

    lags: Lags
    order: ProgramOrder
    configuration: Configuration

    def unordered(self, a: Access, b: Access, threads: ThreadPair) -> tuple[Term, ...]:
        """The conditions under which neither thread, of one block, has waited for the other one after its access."""
        return (*self._unordered(a, b, threads, Side.FIRST), *self._unordered(b, a, threads, Side.SECOND))

    def _unordered(self, before: Access, after: Access, threads: ThreadPair, side: Side) -> Iterator[Term]:
        waits = list(self._waits(self.order.of(after)))
        for one in self._arrivals(self.order.of(before), before.pipeline):
            for other in waits:
                lag = self.lags.get((other.ring, one.ring))
                if lag is None:
                    continue
                done, number = threads.of((conj(*one.guards), one.number), side)
                seen, known = threads.of((conj(*other.guards), other.number), side.other)
                near = conj(_in_warps(one, threads, side), _in_warps(other, threads, side.other))
                yield negate(conj(done, seen, near, le(number, add(known, const(lag)))))

    def _arrivals(self, here: Position, pipeline: str) -> Iterator[Told]:
        """The arrivals after an access, each with the number of the first one.

        `pipeline`: it is a copy of it, which has ended only when all have committed what they have begun before.
        """
        for position in self.order.positions:
            event = position.item
            if not isinstance(event, RingEvent) or event.arrival is None or pipeline not in ("", event.pipeline):
                continue
            first = _first_after(event.arrival, event.guards, position, here)
            if first is not None:
                yield Told(event.ring, first.guards, first.number)
            for barrier, meeting in self._meetings(position, late=False) if self._together(event, position) else ():
                first = _first_after(event.arrival, (), barrier, here)
                if first is not None:
                    yield self._by_another(event, meeting, first.number)

    def _waits(self, here: Position) -> Iterator[Told]:
        """The waits before an access, each with the number of the last arrival waited for."""
        for position in self.order.positions:
            event = position.item
            if not isinstance(event, RingEvent) or event.waits is None:
                continue
            for last in _last_before(event.waits, event.guards, position, here):
                yield Told(event.ring, last.guards, last.number)
            for barrier, meeting in self._meetings(position, late=True) if self._together(event, position) else ():
                for last in _last_before(event.waits, (), barrier, here):
                    told = self._by_another(event, meeting, last.number)
                    yield replace(told, guards=(*told.guards, *last.guards))

    def _meetings(self, position: Position, *, late: bool) -> Iterator[tuple[Position, Barrier]]:
        """The barriers of a warp in the same iteration, before an event or (`late`) behind it.

        Those that all lanes of a warp get to, or none, as thread indexes alone tell.
        """
        binders = {loop.binder for loop in position.around}
        for other in self.order.positions:
            barrier = other.item
            if not isinstance(barrier, Barrier) or not barrier.of_warp or other.path[-1][0] is not position.path[-1][0]:
                continue
            told = all(_of_block(g, binders) or _of_thread(g) for g in barrier.guards)
            if told and (precedes(position, other) if late else precedes(other, position)):
                yield other, barrier

    def _together(self, event: RingEvent, position: Position) -> bool:
        """Whether the lanes of a warp make the same iterations, and those that return do so with all of the block.

        Where the event is in some iterations only, nothing is said of lanes that meet.
        """
        ends = (t for x in self.order.positions if isinstance(x.item, Exit) for t in x.item.guards)
        goes_on = (t for loop in position.around for t in (*loop.tests, *loop.breaks))
        binders = {loop.binder for loop in position.around}
        if any(s in binders for g in event.guards for s in symbols_of(g)):
            return False
        return all(_of_block(t, binders) for t in goes_on) and all(_of_block(t) for t in ends)

    def _by_another(self, event: RingEvent, meeting: Barrier, number: Term) -> Told:
        """What holds of all lanes that meet one that arrives, or waits: in warps of which all get to the barrier."""
        own, met = (tuple(g for g in x.guards if _of_thread(g)) for x in (event, meeting))
        some, all_ = (threads_where(conj(*guards), self.configuration) for guards in (own, met))
        split = {t // WARP_SIZE for t in threads_where(TRUE, self.configuration) - all_}
        warps = frozenset(t // WARP_SIZE for t in some) - split
        return Told(event.ring, (*(g for g in event.guards if g not in own), *meeting.guards), number, warps)


def _of_thread(guard: Term) -> bool:
    return not guard.arrays and all(s.origin is Origin.THREAD for s in symbols_of(guard))


def _of_block(guard: Term, binders: Container[Symbol] = ()) -> bool:
    """Whether a condition is the same for a block, in the same iterations."""
    return not guard.arrays and all(s.origin in OF_BLOCK or s in binders for s in symbols_of(guard))


class _Step(Struct, frozen=True):
    """Step at a ring in some iteration: its number, and the conditions under which there is one."""

    guards: tuple[Term, ...]
    number: Term


def _first_after(arrival: Term, guards: tuple[Term, ...], position: Position, here: Position) -> _Step | None:
    """The first arrival after an access, of those under these guards; None: there is none."""
    if not position.around:
        return _Step(guards, arrival) if precedes(here, position) else None
    (loop,) = position.around
    if _inside(here, loop):
        ahead = 0 if precedes(here, position) else 1
        return _at(arrival, guards, loop, add(var(loop.binder), const(ahead)))
    return _at(arrival, guards, loop, const(0)) if precedes(here, position) else None


def _last_before(waits: Term, guards: tuple[Term, ...], position: Position, here: Position) -> Iterator[_Step]:
    """The last wait before an access, of those under these guards, as far as that is known: none, or one."""
    if not position.around:
        if precedes(position, here):
            yield _Step(guards, waits)
        return
    (loop,) = position.around
    inside, early = _inside(here, loop), precedes(position, here)
    if inside and early:
        yield _Step(guards, waits)
    elif inside or early:
        last = sub(var(loop.binder if inside else loop.count), const(1))
        step = _at(waits, guards, loop, last)
        yield replace(step, guards=(*step.guards, le(const(0), last)))


def _in_warps(told: Told, threads: ThreadPair, side: Side) -> Term:
    if told.warps is None:
        return TRUE
    warp = div(threads.number(side), const(WARP_SIZE))
    return disj(*(eq(warp, const(w)) for w in sorted(told.warps)))


def _inside(position: Position, loop: ProtocolLoop) -> bool:
    return any(loop is x for x in position.around)


def _at(index: Term, guards: tuple[Term, ...], loop: ProtocolLoop, iteration: Term) -> _Step:
    number, *conditions = substitute((index, *guards), {loop.binder: iteration})
    return _Step(tuple(conditions), number)
