"""Beside a launch: work that may run at the same time and uses the same memory, which its verdict depends on.

Each uses the elements that its arguments lead it to.  Where these show that it is the same ones, there is nothing to
assume.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from itertools import chain

from msgspec.structs import replace

from hgrd.host.concurrency.addresses import DEFAULT
from hgrd.host.concurrency.host_uses import Uses
from hgrd.host.concurrency.iterations import Iterations
from hgrd.host.concurrency.order import Done, Order, Streams, concurrent, is_got
from hgrd.host.concurrency.trace import CALLBACK, Event, Follow, Mark, Replay, Trace, Use, Wait, Work
from hgrd.host.sharing.at_once import never_ordered, performs_graph
from hgrd.host.sharing.candidates import Candidates
from hgrd.host.sharing.meeting import pairs, with_early, with_host
from hgrd.host.sharing.partners import on_host, partners_of
from hgrd.host.sharing.told import (
    Beside,
    Launched,
    keys_of,
    launches_of,
    tell_assumed,
    tell_at_once,
    tell_candidate,
    tell_shared,
)
from hgrd.terms import const


def find_beside(
    trace: Trace,
    iterations: Iterations,
    blocking: bool | None,
    threads: bool,
    waits: Callable[[str], bool] | None,
    found: Beside,
    *,
    unseen: bool = False,
) -> None:
    """Adds what the launches of a trace may run beside.

    `blocking`: streams of unknown kind wait for the default stream (None: they may).  `threads`: several threads of the
    host run this, with any arguments.  `waits`: whether a kernel may wait for other work; None: the callers may have
    ordered it all.  `unseen`: destructors that no run follows may change which memory is used: nothing is assumed
    of that.
    """
    inside = {key: found.holder for key, found in iterations.found.items()}
    events = list(iterations.all(Uses(inside, iterations.may_be, trace.common).without_others(trace.events)))
    if trace.nested:
        events = [replace(e, graph=int(e.captured)) if isinstance(e, Work) else e for e in events]
    if _in_one_stream(events):
        return
    streams = Streams(
        trace.made,
        blocking,
        iterations.origins,
        iterations.holders,
        iterations.offsets,
        iterations.stored_at_both,
        iterations.may_be_one,
    )
    clear: set[tuple[Launched, Launched, str]] = set()
    done = Order(streams, lenient=True).run(events)
    partners = partners_of([d.work for d in done], iterations)
    calls_back = any(d.work.what == CALLBACK for d in done)  # the host may wait for what it does, by any means
    sure = None if waits is None or calls_back else Order(streams, lenient=True, cautious=True).run(events)
    candidates = Candidates(iterations.origins)
    places_ = {id(d): number for number, d in enumerate(done)}
    compared, free = set[tuple[int, int]](), set[tuple[int, int]]()
    launches, performed = launches_of((d.work for d in done), iterations), performs_graph(trace, events)
    for one, other in concurrent(done, partners):
        for pair in with_host(one.work, other.work, iterations, trace):
            clear |= set(keys_of(pair))
            tell_shared(pair, found, launches.given(pair, iterations))
        for pair in with_early(one.work, other.work, iterations, trace):
            clear |= set(keys_of(pair))
            tell_shared(pair, found)
        first, second = places_[id(one)], places_[id(other)]
        free.add((first, second))
        surely = sure is not None and never_ordered(sure[first], sure[second], first, performed=performed)
        linked = trace.linked and one.work.captured and other.work.captured
        waiting = waits is not None and any(waits(w.kernel) for w in (one.work, other.work) if w.kernel)
        if surely and not waiting:
            tell_at_once(one.work, other.work, iterations, trace, launches, found)
        if not linked:
            compared.add((first, second))
            candidates.add(one.work, other.work, sure=surely and not waiting)
        for pair in () if linked else pairs(one.work, other.work, iterations, trace, clash=True):
            clear |= set(keys_of(pair))
            tell_shared(pair, found, launches.given(pair, iterations))
    done = Order(streams, lenient=False).run(events)
    places_, unwaited = {id(d): number for number, d in enumerate(done)}, _unwaited(streams, events, partners) - free
    both = list(_in_threads(done, partners)) if threads else []
    for one, other in both:
        for pair in pairs(one.work, other.work, iterations, trace, clash=True):
            if pair.key not in trace.allocated:
                clear |= set(keys_of(pair))
                tell_shared(pair, found, launches.given(pair, iterations))
    for one, other in (*concurrent(done, partners), *both):
        possible = (
            pairs(one.work, other.work, iterations, trace, clash=False),
            with_host(one.work, other.work, iterations, trace, loosely=True),
        )
        of_host = one.work.by_host != other.work.by_host
        open_ = unseen or (of_host and (places_[id(one)], places_[id(other)]) in unwaited)
        for pair in chain(*possible):
            if clear.isdisjoint(keys_of(pair)):
                (tell_shared if open_ else tell_assumed)(pair, found, launches.given(pair, iterations))
    asked = {e.event for e in events if isinstance(e, Wait | Follow) and e.event is not None}
    marked = {e.event for e in events if isinstance(e, Mark)}
    unclear = any(streams.is_any(e) or any(streams.is_unclear(e, other) for other in marked) for e in asked)
    put = {d.work.stream for d in done if d.work.stream != DEFAULT}
    if unclear or any(is_got(s) or streams.may_wait(s) for s in put):
        done = Order(streams, lenient=True, apart=True).run(events)
        places_ = {id(d): number for number, d in enumerate(done)}
        for one, other in concurrent(done, partners):
            linked = trace.linked and one.work.captured and other.work.captured
            if not linked and (places_[id(one)], places_[id(other)]) not in compared:
                candidates.add(one.work, other.work, sure=False)
    for candidate in candidates.nearest():
        tell_candidate(candidate, clear, iterations, trace, launches, found)


def _unwaited(streams: Streams, events: Sequence[Event], partners: Sequence[int]) -> Set[tuple[int, int]]:
    """Pairs of work, by their numbers, that no wait orders but one for a stream that may be another one."""
    done = Order(streams, lenient=True, exact=True).run(events)
    numbers = {id(d): number for number, d in enumerate(done)}
    return {(numbers[id(one)], numbers[id(other)]) for one, other in concurrent(done, partners)}


def _in_one_stream(events: Iterable[Event]) -> bool:
    """Whether all work is put into the default stream of one device, where it comes in its order."""
    if any(isinstance(e, Use) or (isinstance(e, Work) and e.early) for e in events):
        return False
    places_ = {(e.stream, e.device, e.captured) for e in events if isinstance(e, Work)}
    return places_ <= {(DEFAULT, const(0), False)} and not any(isinstance(e, Replay) for e in events)


def _in_threads(done: list[Done], partners: Sequence[int]) -> Iterator[tuple[Done, Done]]:
    """Pairs of work of two threads of the host that both do all of it, but for what the default stream orders.

    One of the two is a kernel: functions of a library that any thread may call copy memory of their own objects.
    """
    free = [n for n, d in enumerate(done) if not on_host(d.work) and d.work.stream != DEFAULT]
    kernels = {n for n in free if done[n].work.kernel}
    for at, one in enumerate(free):
        others = (other for other in free[at:] if partners[one] >> other & 1)
        yield from ((done[one], done[other]) for other in others if not kernels.isdisjoint((one, other)))
