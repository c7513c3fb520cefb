"""Happens-before on random traces: epochs and clocks against the definition, edge by edge.

Here the order is a graph over single events: what a thread does is ordered as it does it, a barrier stands
behind and before all its threads, and a message leads from a release to an acquisition.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

import pytest

from hgrd.cuda.atomics import StdMemoryOrder
from hgrd.cuda.memory_model import AccessKind, Level, Scope
from hgrd.simulate.trace import MemoryOrder
from tests.simulate.dynamic import WORDS, Hand

PER_BLOCK, THREADS = 64, (0, 1, 40, 64, 65)
DATA, FLAGS = (0, 4), (100, 104)
_TOTAL = StdMemoryOrder.SEQ_CST
_FENCES = (_TOTAL, _TOTAL, StdMemoryOrder.ACQ_REL, StdMemoryOrder.ACQUIRE, StdMemoryOrder.RELEASE)
_WIDE = (Scope.DEVICE, Scope.SYSTEM)
_RELEASES, _ACQUIRES = (MemoryOrder.RELEASE, MemoryOrder.ACQ_REL), (MemoryOrder.ACQUIRE, MemoryOrder.ACQ_REL)


@dataclass(frozen=True)
class Event:
    """A barrier or fence (`kind` None; a fence has one thread and an order `fence`), or an access."""

    threads: tuple[int, ...]
    scope: Scope | None
    kind: AccessKind | None = None
    order: MemoryOrder = MemoryOrder.PLAIN
    offset: int = 0
    fence: StdMemoryOrder | None = None

    @property
    def wide(self) -> bool:
        return self.order is MemoryOrder.VOLATILE or self.scope in _WIDE

    @property
    def atomic(self) -> bool:
        return self.kind is AccessKind.ATOMIC or self.order not in (MemoryOrder.PLAIN, MemoryOrder.VOLATILE)


def random_events(random: Random, messages: bool, length: int) -> list[Event]:
    events: list[Event] = []
    for _ in range(length):
        thread = random.choice(THREADS)
        match random.choice(["data"] * 3 + ["barrier"] + (["flag"] * 2 + ["fence", "message"] if messages else [])):
            case "message":
                events += message(random, thread)
            case "data":
                events.append(
                    Event(
                        (thread,), None, random.choice((AccessKind.READ, AccessKind.WRITE)), offset=random.choice(DATA)
                    )
                )
            case "flag":
                events.append(flag(random, thread))
            case "fence":
                scope = random.choice((Scope.BLOCK, Scope.DEVICE, Scope.DEVICE))
                events.append(Event((thread,), scope, fence=random.choice(_FENCES)))
            case _:
                events.append(barrier(random, thread))
    return events


def message(random: Random, thread: int) -> list[Event]:
    """A message to another thread, perhaps not quite; threads of their blocks may have the fences."""
    other, offset = random.choice(THREADS), random.choice(FLAGS)
    near = [thread if random.random() < 0.7 else random.choice(THREADS), random.choice((other, other, *THREADS))]
    fences = [Event((t,), random.choice((Scope.BLOCK, *_WIDE)), fence=random.choice(_FENCES)) for t in near]
    if near[0] != thread:
        fences = [fences[0], barrier(random, thread), *fences[1:]]
    behind = [barrier(random, other)] if near[1] != other else []
    send, receive = flag(random, thread), flag(random, other)
    parts = [
        Event((thread,), None, AccessKind.WRITE, offset=DATA[0]),
        *fences[:-1],
        replace(send, offset=offset),
        replace(receive, offset=offset),
        *behind,
        fences[-1],
        Event((other,), None, AccessKind.READ, offset=DATA[0]),
    ]
    return [part for part in parts if random.random() < 0.95]


def flag(random: Random, thread: int) -> Event:
    kind = random.choice(tuple(AccessKind))
    orders = {
        AccessKind.READ: (MemoryOrder.VOLATILE, MemoryOrder.RELAXED, MemoryOrder.ACQUIRE),
        AccessKind.WRITE: (MemoryOrder.VOLATILE, MemoryOrder.RELAXED, MemoryOrder.RELEASE),
        AccessKind.ATOMIC: (MemoryOrder.RELAXED, MemoryOrder.RELAXED, MemoryOrder.ACQ_REL),
    }
    order = random.choice(orders[kind])
    scope = None if order is MemoryOrder.VOLATILE else random.choice((Scope.BLOCK, Scope.DEVICE, Scope.SYSTEM))
    return Event((thread,), scope, kind, order, random.choice(FLAGS))


def barrier(random: Random, thread: int) -> Event:
    block = thread // PER_BLOCK * PER_BLOCK
    match random.choice(("warp", "lanes", "block", "block", "grid")):
        case "warp":
            first = thread // 32 * 32
            return Event(tuple(range(first, first + 32)), Scope.WARP)
        case "lanes":
            return Event(tuple(sorted({thread, thread ^ 1, thread ^ 2})), Scope.WARP)
        case "block":
            return Event(tuple(range(block, block + PER_BLOCK)), Scope.BLOCK)
        case _:
            return Event(tuple(range(2 * PER_BLOCK)), Scope.DEVICE)


def before(events: list[Event], messages: list[tuple[int, int]]) -> list[set[int]]:
    """For every event the events that happen before it."""
    found: list[set[int]] = []
    last: dict[int, set[int]] = {}  # by thread: all that happens before its next event
    for i, event in enumerate(events):
        past = set().union(*(last.get(t, set()) for t in event.threads))
        for source, target in messages:
            if target == i:
                past |= found[source] | {source}
        found.append(past)
        last.update({t: past | {i} for t in event.threads})
    return found


def edges_of_messages(events: list[Event]) -> list[tuple[int, int]]:
    """From the first operation of each release pattern to the last one of the acquire patterns it synchronises with."""
    edges: list[tuple[int, int]] = []
    for r, read in enumerate(events):
        if read.kind in (None, AccessKind.WRITE) or read.order is MemoryOrder.PLAIN:
            continue
        ends = acquire_patterns(events, r)
        for w in seen_by(events, r):
            near = events[w].threads[0] // PER_BLOCK == read.threads[0] // PER_BLOCK
            for a, far, behind, total in release_patterns(events, w):
                for b, wide, before_it, too in ends:
                    strong = (far and wide) or events[a].threads[0] // PER_BLOCK == events[b].threads[0] // PER_BLOCK
                    if (
                        strong
                        and ((total and too) or not (behind or before_it))
                        and (near or not looks(events[b]) or far)
                    ):
                        edges.append((a, b))
    return edges


Pattern = tuple[int, bool, bool, bool]
"""An event, whether its scope is wide, whether it is of another thread than the flag's, whether it is a total fence."""


def release_patterns(events: list[Event], w: int) -> list[Pattern]:
    """The first operations of the release patterns that end with a write."""
    write = events[w]
    found = [(w, write.wide, False, False)] if write.order in _RELEASES else []
    for i, e in enumerate(events[:w]):
        mine = e.threads == write.threads
        if mine and e.order in _RELEASES and e.offset == write.offset and e.kind not in (None, AccessKind.READ):
            found.append((i, e.wide, False, False))
        if e.fence is not None and mine and e.fence.releases:
            found.append((i, e.scope in _WIDE, False, e.fence is _TOTAL))
        if e.fence is _TOTAL and not mine and met(events, i, w):
            found.append((i, e.scope in _WIDE, True, True))
    return found


def acquire_patterns(events: list[Event], r: int) -> list[Pattern]:
    """The last operations of the acquire patterns that begin with a read."""
    read = events[r]
    found = [(r, read.wide, False, False)] if read.order in _ACQUIRES else []
    for i, e in enumerate(events[r:], r):
        mine = e.threads == read.threads
        if (
            mine
            and i > r
            and e.order in _ACQUIRES
            and e.offset == read.offset
            and e.kind not in (None, AccessKind.WRITE)
        ):
            found.append((i, e.wide, False, False))
        if mine and looks(e):
            found.append((i, True, False, False))
        if e.fence is not None and mine and e.fence.acquires:
            found.append((i, e.scope in _WIDE, False, e.fence is _TOTAL))
        if e.fence is _TOTAL and not mine and met(events, r, i):
            found.append((i, e.scope in _WIDE, True, True))
    return found


def met(events: list[Event], i: int, j: int) -> bool:
    """Whether a barrier of a whole warp, a block or the grid stands between two events of different threads."""
    wanted = {*events[i].threads, *events[j].threads}
    return any(
        e.kind is None and e.fence is None and wanted <= set(e.threads) and len(e.threads) >= 32 for e in events[i:j]
    )


def alone(events: list[Event], edge: tuple[int, int]) -> bool:
    """Whether the order ends with the access that it leads to: a volatile read, behind no fence."""
    return looks(events[edge[1]])


def looks(event: Event) -> bool:
    return event.order is MemoryOrder.VOLATILE and event.kind is AccessKind.READ


def seen_by(events: list[Event], read: int) -> list[int]:
    """The write whose value an operation reads, and those that it goes back to through atomic ones.

    As far as each is morally strong with the next one.
    """
    found: list[int] = []
    later = events[read]
    for i in reversed(range(read)):
        event = events[i]
        if (
            event.offset == later.offset
            and event.kind in (AccessKind.WRITE, AccessKind.ATOMIC)
            and event.order is not MemoryOrder.PLAIN
        ):
            near = event.threads[0] // PER_BLOCK == later.threads[0] // PER_BLOCK
            if not (near or (event.wide and later.wide)):
                break
            found.append(i)
            if event.kind is AccessKind.WRITE:
                break
            later = event
    return found


def level_of(a: int, b: int) -> Level:
    if a // PER_BLOCK != b // PER_BLOCK:
        return Level.INTER_BLOCK
    return Level.INTRA_WARP if a // 32 == b // 32 else Level.INTRA_BLOCK


def sufficient(event: Event, level: Level) -> bool:
    needed = {
        Level.INTRA_WARP: (Scope.WARP, Scope.BLOCK, *_WIDE),
        Level.INTRA_BLOCK: (Scope.BLOCK, *_WIDE),
        Level.INTER_BLOCK: _WIDE,
    }
    return event.atomic and event.scope in needed[level]


def expected(events: list[Event], messages: bool = True) -> list[str]:
    edges = edges_of_messages(events) if messages else []
    order = before(events, [edge for edge in edges if not alone(events, edge)])
    for source, target in edges:
        if alone(events, (source, target)):
            order[target] |= order[source] | {source}
    found: list[str] = []
    for j, second in enumerate(events):
        for i, first in enumerate(events[:j]):
            if first.kind is None or second.kind is None or first.offset != second.offset or i in order[j]:
                continue
            level = level_of(first.threads[0], second.threads[0])
            if first.threads == second.threads or first.kind is second.kind is AccessKind.READ:
                continue
            if not (sufficient(first, level) and sufficient(second, level)):
                ends = sorted((f"{first.kind.value} {i}", f"{second.kind.value} {j}"))
                found.append(f"{ends[0]}, {ends[1]}; global; {WORDS[level]}")
    return sorted(found)


def traced(events: list[Event]) -> Hand:
    """Every event is a site of its own."""
    trace = Hand(PER_BLOCK, 2)
    for i, e in enumerate(events):
        threads = list(e.threads)
        if e.fence:
            trace.fence(threads, e.scope or Scope.DEVICE, e.fence)
        elif e.kind is None:
            trace.arrive(e.scope or Scope.DEVICE, threads, i)
        else:
            trace.touch(e.kind, i, threads, [e.offset], scope=e.scope, order=e.order)
    return trace


@pytest.mark.parametrize("seed", range(300))
def test_races_are_what_the_definition_says(seed: int):
    random = Random(seed)
    events = random_events(random, messages=seed % 4 > 0, length=random.randrange(3, 25))
    assert traced(events).races() == expected(events)


def test_the_random_traces_have_races_and_orders_of_all_kinds():
    kinds: set[str] = set()
    ordered = 0
    for seed in range(300):
        random = Random(seed)
        events = random_events(random, messages=seed % 4 > 0, length=random.randrange(3, 25))
        kinds |= {line.rsplit("; ")[-1] for line in expected(events)}
        ordered += len(expected(events, messages=False)) > len(expected(events))
    assert kinds == {"warp", "block", "grid"} and ordered > 20


@pytest.mark.parametrize("seed", range(100))
def test_a_barrier_is_needed_if_there_are_more_races_without_it(seed: int):
    random = Random(seed)
    events = random_events(random, messages=False, length=random.randrange(5, 30))
    whole = [e for e in events if e.kind is not None or len(e.threads) >= 32]
    needed = {
        i: len(expected(whole[:i] + whole[i + 1 :])) > len(expected(whole))
        for i, event in enumerate(whole)
        if event.kind is None
    }
    found = {use.span.line: use.needed > 0 for use in traced(whole).model.barriers()}
    assert found == needed


@pytest.mark.parametrize(("plainly", "races"), [(False, 0), (True, 2)])
def test_a_plain_write_hands_on_nothing_that_was_released_before(plainly: bool, races: int):
    trace = Hand(2)
    trace.write(1, [0], [0], memory=1)
    trace.fence([0], Scope.DEVICE)
    trace.touch(AccessKind.ATOMIC, 2, [0], [100], scope=Scope.DEVICE)
    if plainly:
        trace.write(3, [0], [100])
    trace.touch(AccessKind.ATOMIC, 4, [1], [100], scope=Scope.DEVICE)
    trace.fence([1], Scope.DEVICE)
    trace.write(5, [1], [0])
    assert len(trace.races()) == races
