"""Races of work that a run of the program puts on the device: with other work, and with the host.

In the run it is known which streams there are, what waits for what, and which bytes each piece of work uses: two that
nothing orders and that use the same bytes, one of them storing there, race (Programming Guide, "Asynchronous Concurrent
Execution").  Kernels that both use atomic operations on one object may wait for each other, and are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Final

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from hgrd.cuda.memory_model import AccessKind, Scope
from hgrd.host.concrete.state.queue import FILL, THREAD, HostUse, Queue, Used, Work
from hgrd.host.concrete.state.values import Object
from hgrd.program.span import Span
from hgrd.simulate.launch import ConcreteLaunch
from hgrd.simulate.program_run.kernel_reach import KernelReach
from hgrd.simulate.program_run.kernel_runs import KernelUses
from hgrd.simulate.trace import MemoryOrder, Touch

_MOST_PAIRS: Final = 1 << 14  # pairs of work that are looked at
_READS, _STORES, _UPDATES = 1, 2, 4  # bits of a byte: how it is used
_NOT_STORES: Final = _READS | _UPDATES


class RaceEnd(Struct, frozen=True):
    """One side of a race: a piece of work, or the host (None), its access, and the thread of a kernel that makes it."""

    work: Work | None
    span: Span
    stores: bool
    address: int
    size: int
    thread: int = 0
    launch: ConcreteLaunch | None = None


class HostRace(Struct, frozen=True):
    """Two accesses of the same bytes that nothing orders; `second` is of what the program comes to later.

    `name` is that of the pointer to the object.
    """

    first: RaceEnd
    second: RaceEnd
    name: str


def host_races(queue: Queue, kernels: dict[int, KernelUses]) -> tuple[HostRace, ...]:
    """The races of the work in a queue; one for two places of the program."""
    if queue.lost:
        return ()
    table = _Table(queue, kernels)
    found: dict[tuple[object, ...], HostRace] = {}
    for race in (*table.between_work(), *table.with_host()):
        found.setdefault((*_place(race.first), *_place(race.second)), race)
    return tuple(found.values())


def nothing_meets(queue: Queue, kernels: dict[int, KernelUses], reach: Mapping[int, KernelReach | None]) -> bool:
    """Whether it is known of all that nothing orders that it uses different bytes, or only reads them.

    Of kernels that may make other accesses in another run it is their reach that counts.
    """
    exact = {number: uses for number, uses in kernels.items() if uses.exact}
    known = all(w.number in exact or reach.get(w.number) is not None for w in queue.works if w.kernel)
    return known and not (queue.lost or queue.unsure) and _Table(queue, exact, reach).nothing_meets()


def _place(end: RaceEnd) -> tuple[object, ...]:
    """What a side of a race is known by in the program."""
    return end.span, end.stores, None if end.work is None else (end.work.span, end.work.kernel)


class _Table(Struct):
    queue: Queue
    kernels: dict[int, KernelUses]
    reach: Mapping[int, KernelReach | None] = MappingProxyType({})
    _maps: dict[tuple[int, int], NDArray[np.uint8] | None] = field(
        default_factory=dict["tuple[int, int]", "NDArray[np.uint8] | None"]
    )

    def between_work(self) -> Iterator[HostRace]:
        seen: set[tuple[Span, Span, str, str, int]] = set()
        for one, other, target in self._pairs():
            key = one.span, other.span, one.kernel, other.kernel, id(target)
            hosts = one.what == THREAD == other.what  # which may order each other by means of the host
            race = None if key in seen or hosts else self._race(one, other, target)
            if race is not None and not self._may_wait(one, other):
                seen.add(key)
                yield race

    def nothing_meets(self) -> bool:
        pairs = list(self._pairs())
        if len(pairs) >= _MOST_PAIRS or any(self._meet(*pair) for pair in pairs):
            return False
        uses = ((work, use) for use in self.queue.by_host for work in self.queue.pieces(use.pending))
        return not any(self._meets_host(work, use) for work, use in uses)

    def _meet(self, one: Work, other: Work, target: Object) -> bool:
        """Whether two pieces of work may use the same bytes, and not only read them or update them atomically."""
        a, b = self._map(one, target), self._map(other, target)
        if a is None or b is None:
            one_, other_ = self._anywhere(one, target), self._anywhere(other, target)
            return bool(one_ and other_ and one_ | other_ not in (_READS, _UPDATES))
        size = min(len(a), len(b))
        both = a[:size] | b[:size]
        return bool(np.any((a[:size] != 0) & (b[:size] != 0) & (both != _READS) & (both != _UPDATES)))

    def _anywhere(self, work: Work, target: Object) -> int:
        """How work uses any byte of an object, at most."""
        bytes_, reach = self._map(work, target), self.reach.get(work.number)
        if bytes_ is not None:
            return int(np.bitwise_or.reduce(bytes_, initial=0))
        if reach is None or id(target) in reach.stores:
            return _STORES
        return _READS if id(target) in reach.uses else 0

    def _meets_host(self, work: Work, use: HostUse) -> bool:
        bytes_ = self._map(work, use.used.target)
        if bytes_ is None or use.used.low < 0:
            used = self._anywhere(work, use.used.target)
            return bool(used & (_STORES | _UPDATES) or (used and use.used.stores))
        there = bytes_[use.used.low : use.used.high]
        return bool(np.any(there if use.used.stores else there & (_STORES | _UPDATES)))

    def _pairs(self) -> Iterator[tuple[Work, Work, Object]]:
        """Pieces of work that nothing orders and that may use the same object, the earlier one first."""
        left = _MOST_PAIRS
        for number, users in self.queue.users.items():
            for other in self.queue.pieces(users):
                earlier = users & (other.bit - 1) & ~other.before
                for one in self.queue.pieces(earlier):
                    left -= 1
                    if left < 0:
                        return
                    yield one, other, self.queue.held[number]

    def _may_wait(self, one: Work, other: Work) -> bool:
        """Whether two kernels may order their accesses by what they find in memory."""
        signals = [_signals(self.kernels[w.number]) if w.number in self.kernels else set[int]() for w in (one, other)]
        return not signals[0].isdisjoint(signals[1])

    def _race(self, one: Work, other: Work, target: Object) -> HostRace | None:
        a, b = self._map(one, target), self._map(other, target)
        if a is None or b is None:
            return None
        size = min(len(a), len(b))
        a, b = a[:size], b[:size]
        plain = ((a & _STORES != 0) & (b & _NOT_STORES != 0)) | ((b & _STORES != 0) & (a & _NOT_STORES != 0))
        mixed = ((a & _UPDATES != 0) & (b & _READS != 0)) | ((b & _UPDATES != 0) & (a & _READS != 0))
        for bytes_, wanted in ((plain | mixed, False), ((a & _STORES != 0) & (b & _STORES != 0), True)):
            found = np.flatnonzero(bytes_)
            for at in found[:: max(1, len(found) // 8)].tolist():
                race = self._at(one, other, target, at, both_store=wanted)
                if race is not None:
                    return race
        return None

    def _at(self, one: Work, other: Work, target: Object, at: int, *, both_store: bool) -> HostRace | None:
        """The race at a byte; None: the two store the same there."""
        firsts, seconds = list(self._ends(one, target, at)), list(self._ends(other, target, at))
        for first, value in firsts:
            for second, other_value in seconds:
                if both_store and (not (first.stores and second.stores) or value == other_value):
                    continue
                if first.stores or second.stores:
                    return HostRace(first, second, target.name)
        return None

    def _ends(self, work: Work, target: Object, at: int) -> Iterator[tuple[RaceEnd, object]]:
        """The accesses of a byte by work, with the value of a store."""
        for used in work.uses:
            if used.target is target and used.low <= at < used.high:
                yield RaceEnd(work, used.span, used.stores, at, 1), (None if work.what == FILL else id(work))
        uses = self.kernels.get(work.number)
        if uses is None:
            return
        for touch in _touches(uses, target):
            for lane in np.flatnonzero((touch.offsets <= at) & (at < touch.offsets + touch.size))[:1].tolist():
                span = uses.sites.sites[touch.site].span
                stores = touch.kind is not AccessKind.READ
                value = None if touch.values is None else touch.values[lane].tobytes()
                offset, thread = int(touch.offsets[lane]), _in_grid(uses.launch, int(touch.threads[lane]))
                yield RaceEnd(work, span, stores, offset, touch.size, thread, uses.launch), value

    def with_host(self) -> Iterator[HostRace]:
        seen: set[tuple[Span, Span]] = set()
        for use in self.queue.by_host:
            for work in self.queue.pieces(use.pending):
                if (use.used.span, work.span) not in seen and work.what != THREAD:
                    race = self._host_race(work, use)
                    if race is not None:
                        seen.add((use.used.span, work.span))
                        yield race

    def _host_race(self, work: Work, use: HostUse) -> HostRace | None:
        bytes_ = self._map(work, use.used.target)
        if bytes_ is None:
            return None
        there = bytes_[use.used.low : use.used.high]
        found = np.flatnonzero(there if use.used.stores else there & (_STORES | _UPDATES))
        for at in found[:1].tolist():
            host = RaceEnd(None, use.used.span, use.used.stores, use.used.low, use.used.high - use.used.low)
            for end, _ in self._ends(work, use.used.target, use.used.low + at):
                if end.stores or host.stores:
                    return HostRace(end, host, use.used.target.name)
        return None

    def _map(self, work: Work, target: Object) -> NDArray[np.uint8] | None:
        """How work uses each byte of an object; None: not known."""
        key = work.number, id(target)
        if key not in self._maps:
            self._maps[key] = self._made(work, target)
        return self._maps[key]

    def _made(self, work: Work, target: Object) -> NDArray[np.uint8] | None:
        if not work.kernel:
            return _map_of(work.uses, target)
        uses = self.kernels.get(work.number)
        if uses is None:
            return None
        touches = list(_touches(uses, target))
        end = max((int(t.offsets.max()) + t.size for t in touches if len(t.offsets)), default=0)
        bytes_ = np.zeros(end, np.uint8)
        for touch in touches:
            for part in range(touch.size):
                bytes_[touch.offsets + part] |= _use_of(touch)
        return bytes_


def _map_of(uses: Iterable[Used], target: Object) -> NDArray[np.uint8]:
    own = [used for used in uses if used.target is target and used.low >= 0]
    bytes_ = np.zeros(max((used.high for used in own), default=0), np.uint8)
    for used in own:
        bytes_[used.low : used.high] |= _STORES if used.stores else _READS
    return bytes_


def _touches(uses: KernelUses, target: Object) -> Iterator[Touch]:
    number = uses.numbers.get(id(target))
    return (touch for touch in uses.touches if touch.memory == number)


def _use_of(touch: Touch) -> int:
    match touch.kind:
        case AccessKind.READ:
            return _READS
        case AccessKind.WRITE:
            return _STORES
        case AccessKind.ATOMIC:
            return _UPDATES if touch.scope in (Scope.DEVICE, Scope.SYSTEM) else _STORES


def _in_grid(launch: ConcreteLaunch, thread: int) -> int:
    """The number of a thread in the grid, by that among the blocks that run."""
    if launch.chosen is None:
        return thread
    block, own = divmod(thread, launch.block_threads)
    return launch.chosen[block] * launch.block_threads + own


def _signals(uses: KernelUses) -> set[int]:
    """The objects, by their identity, that a kernel uses by accesses that may order others."""
    found = {touch.memory for touch in uses.touches if touch.order is not MemoryOrder.PLAIN}
    return {key for key, number in uses.numbers.items() if number in found}
