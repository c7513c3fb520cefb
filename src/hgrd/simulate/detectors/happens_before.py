"""Happens-before of a trace: barrier epochs for all threads, clocks for the few that synchronise otherwise.

Barriers number the time of all threads: a thread's *grid*, *block* and *warp* epoch are how many barriers
of that scope it has passed.  Fences with atomics, release and acquire, and barriers of a part of a warp
order single threads; only threads that have received such an order carry a *clock* beyond their epochs.

The order is that of the PTX memory model ("Causality order"), for the ways CUDA programs have to make it
(CUDA Programming Guide, "Memory Fence Functions"): what a thread did before a fence is released by its
next atomic or volatile write, and acquired by a thread that reads this value, or one written by a chain of
atomic operations upon it, with an atomic or volatile read and then performs a fence.  This order counts only
within the narrowest of the four scopes.  A barrier is no fence for other blocks.  A volatile read after
such a read needs no fence (docs/verdicts.md, "Order by locks and flags").

A thread that has left the kernel counts as having arrived at the barriers of its block.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from hgrd.cuda.limits import WARP_SIZE
from hgrd.cuda.memory_model import AccessKind, Level, Scope, Space
from hgrd.program.span import Span
from hgrd.simulate.trace import Arrive, Fenced, MemoryOrder, Touch

_RELEASING = (MemoryOrder.RELEASE, MemoryOrder.ACQ_REL)
_ACQUIRING = (MemoryOrder.ACQUIRE, MemoryOrder.ACQ_REL)

Ints: TypeAlias = NDArray[np.int64]
Clock: TypeAlias = Mapping[tuple[str, int], int]
"""Accesses that happened before: of a unit ("grid", "block", "warp", "thread") all in epochs below a number.

The epoch of a thread is its *segment*, which its fences and partial barriers end.
"""
_Location: TypeAlias = tuple[int, int, int]  # memory, block of its copy, first byte
_Releases: TypeAlias = dict[tuple[int, bool], Clock]  # by releasing block, and whether other blocks may acquire it


class LaunchShape(Struct, frozen=True):
    """Shape of a launch: how many threads it has, and how they are divided into blocks."""

    threads_per_block: int
    blocks: int

    @property
    def threads(self) -> int:
        return self.threads_per_block * self.blocks

    @property
    def warps_per_block(self) -> int:
        return -(-self.threads_per_block // WARP_SIZE)

    def block(self, threads: Ints) -> Ints:
        return threads // self.threads_per_block

    def warp(self, threads: Ints) -> Ints:
        """Numbers of warps in the launch (CUDA Programming Guide, "SIMT Architecture")."""
        block, thread = np.divmod(threads, self.threads_per_block)
        return block * self.warps_per_block + thread // WARP_SIZE


class PartialBarrier(Struct, frozen=True):
    """A barrier that `threads` of block or warp `unit` bypassed while others of the group passed it."""

    barrier: Span
    scope: Scope
    unit: int
    threads: tuple[int, ...]


class Moment(Struct, frozen=True):
    """Time of an event for some threads: their epochs, one entry per thread; `clock` indexes `Ordering.clocks`."""

    grid: Ints
    block: Ints
    warp: Ints
    segment: Ints
    clock: Ints

    def taken(self, entries: NDArray[np.intp]) -> Moment:
        """The moment of some of the threads, by position."""
        return Moment(*(a[entries] for a in (self.grid, self.block, self.warp, self.segment, self.clock)))


class Passed(Struct, frozen=True):
    """A barrier that `unit` (block, warp, or 0 for the grid) passed, ending its epoch `epoch`."""

    scope: Scope
    unit: int
    epoch: int
    span: Span


class Ordering:
    """Order of the events of a trace so far; `now` gives the moment of threads."""

    def __init__(self, shape: LaunchShape) -> None:
        n = shape.threads
        self.shape = shape
        self.clocks: list[Clock] = [{}]
        self.divergences: list[PartialBarrier] = []
        self.passed: list[Passed] = []
        self._grid, self._block, self._warp = (np.zeros(n, np.int64) for _ in range(3))
        self._segment, self._clock = np.zeros(n, np.int64), np.zeros(n, np.int64)
        self._fences = {wide: _Fences(n) for wide in (False, True)}
        self._releases: dict[_Location, _Releases] = {}
        self._pending: dict[int, dict[tuple[_Location, int], Clock]] = {}
        self._absent: dict[int, tuple[Span, Scope]] = {}
        self._absences = np.zeros(n, np.bool_)

    # ------------------------------------------------------------ events

    def now(self, threads: Ints) -> Moment:
        return Moment(*(a[threads] for a in (self._grid, self._block, self._warp, self._segment, self._clock)))

    def arrive(self, event: Arrive) -> None:
        self._appear(event.threads)
        match event.scope:
            case Scope.WARP:
                units, size = self.shape.warp(event.threads), 0
            case Scope.BLOCK:
                units, size = self.shape.block(event.threads), self.shape.threads_per_block
            case _:
                units, size = np.zeros_like(event.threads), self.shape.threads
        present: list[int] = np.unique(units).tolist()
        for unit in present:
            threads = event.threads[units == unit]
            if event.scope is Scope.WARP:
                self._meet_warp(event, unit, threads)
            else:
                self._meet(event, unit, np.arange(unit * size, (unit + 1) * size), threads)

    def fenced(self, event: Fenced) -> None:
        threads = event.threads
        self._appear(threads)
        if not event.scope.covers(Level.INTRA_BLOCK):
            return
        wide = event.scope.covers(Level.INTER_BLOCK)
        for thread in threads.tolist() if self._pending else ():
            self._acquire_pending(thread, wide)
        for each in (False, True) if wide else (False,):
            self._fences[each].set(threads, self.now(threads))
        self._segment[threads] += 1

    def touch(self, event: Touch) -> Moment:
        """Records releases and acquisitions; gives the moment of the access, with the order that it acquires itself."""
        self._appear(event.threads)
        segment = self._segment[event.threads]
        if is_synchronising(event):
            self._synchronise(event)
        elif self._releases and event.kind is not AccessKind.READ:
            self._overwrite(event)
        now = replace(self.now(event.threads), segment=segment)
        looks = event.kind is AccessKind.READ and event.order is MemoryOrder.VOLATILE
        return self._looking(event.threads, now) if self._pending and looks else now

    def _overwrite(self, event: Touch) -> None:
        """Drops the releases at these locations: a read of a plain write's value acquires nothing."""
        blocks = self.shape.block(event.threads).tolist() if event.space is Space.SHARED else [0] * len(event.threads)
        for copy, offset in zip(blocks, event.offsets.tolist(), strict=True):
            self._releases.pop((event.memory, copy, offset), None)

    def _synchronise(self, event: Touch) -> None:
        ordered = event.order in _RELEASING or event.order in _ACQUIRING
        if not (ordered or self._releases or self._fences[False].exists[event.threads].any()):
            return
        wide = event.order is MemoryOrder.VOLATILE or (
            event.scope is not None and event.scope.covers(Level.INTER_BLOCK)
        )
        blocks = self.shape.block(event.threads).tolist() if event.space is Space.SHARED else [0] * len(event.threads)
        for thread, copy, offset in zip(event.threads.tolist(), blocks, event.offsets.tolist(), strict=True):
            location = (event.memory, copy, offset)
            if event.kind is not AccessKind.WRITE:
                self._read(thread, location, wide, event.order in _ACQUIRING)
            if event.kind is not AccessKind.READ and event.order is not MemoryOrder.ACQUIRE:
                self._write(thread, location, wide, event)

    # ------------------------------------------------------------ barriers

    def _meet(self, event: Arrive, unit: int, members: Ints, threads: Ints) -> None:
        """A barrier of a block or the grid: members that do not arrive have left the kernel, or diverge (`_appear`)."""
        epochs = self._block if event.scope is Scope.BLOCK else self._grid
        scope = Scope.BLOCK if event.scope is Scope.BLOCK else Scope.DEVICE
        self.passed.append(Passed(scope, unit, int(epochs[members[0]]), event.span))
        epochs[members] += 1
        if len(threads) < len(members):
            missing = np.setdiff1d(members, threads)
            self._absences[missing] = True
            self._absent.update(dict.fromkeys(missing.tolist(), (event.span, scope)))
        self._share(threads)

    def _meet_warp(self, event: Arrive, unit: int, threads: Ints) -> None:
        warp = unit % self.shape.warps_per_block
        size = min(WARP_SIZE, self.shape.threads_per_block - warp * WARP_SIZE)
        if len(threads) == size:
            self.passed.append(Passed(Scope.WARP, unit, int(self._warp[threads[0]]), event.span))
            self._warp[threads] += 1
            self._share(threads)
        elif len(threads) > 1:
            joined = _join(*(self._full(t, self.now(np.array([t])), 0) for t in threads.tolist()))
            self._segment[threads] += 1
            self._clock[threads] = self._number(joined)

    def _share(self, threads: Ints) -> None:
        """Joins the clocks of the threads: after a barrier all have the order that one has received."""
        numbers: list[int] = np.unique(self._clock[threads]).tolist()
        if len(numbers) > 1:
            self._clock[threads] = self._number(_join(*(self.clocks[n] for n in numbers)))

    def _appear(self, threads: Ints) -> None:
        """Records divergence: threads that act have not left the kernel, so they bypassed the barriers they missed."""
        if not self._absent or not self._absences[threads].any():
            return
        late: dict[tuple[Span, Scope, int], list[int]] = {}
        for thread in threads[self._absences[threads]].tolist():
            span, scope = self._absent.pop(thread)
            unit = thread // self.shape.threads_per_block if scope is Scope.BLOCK else 0
            late.setdefault((span, scope, unit), []).append(thread)
        self._absences[threads] = False
        self.divergences += [PartialBarrier(*key, tuple(found)) for key, found in late.items()]

    # ------------------------------------------------------------ releases and acquisitions

    def _write(self, thread: int, location: _Location, wide: bool, event: Touch) -> None:
        block = thread // self.shape.threads_per_block
        chain = event.kind is AccessKind.ATOMIC
        releases = dict(self._releases.get(location, {})) if chain else {}
        for each in (False, True) if wide else (False,):
            clock = self._released(thread, each, event.order in _RELEASING)
            if clock is not None:
                known = releases.get((block, each))
                releases[block, each] = clock if known is None else _join(known, clock)
        if releases or location in self._releases:
            self._releases[location] = releases
        if event.order in _RELEASING:
            self._segment[thread] += 1

    def _released(self, thread: int, wide: bool, now: bool) -> Clock | None:
        if now:
            return self._full(thread, self.now(np.array([thread])), 0)
        fences = self._fences[wide]
        return self._full(thread, fences.moment, thread) if fences.exists[thread] else None

    def _read(self, thread: int, location: _Location, wide: bool, acquires: bool) -> None:
        block = thread // self.shape.threads_per_block
        for (source, far), clock in self._releases.get(location, {}).items():
            if source != block and not (far and wide):
                continue
            if acquires:
                self._receive(thread, clock)
            else:
                pending = self._pending.setdefault(thread, {})
                known = pending.get((location, source))
                if known is not clock:
                    pending[location, source] = clock if known is None else _join(known, clock)

    def _acquire_pending(self, thread: int, wide: bool) -> None:
        pending = self._pending.pop(thread, {})
        block = thread // self.shape.threads_per_block
        for (location, source), clock in pending.items():
            if wide or source == block:
                self._receive(thread, clock)
            else:
                self._pending.setdefault(thread, {})[location, source] = clock

    def _looking(self, threads: Ints, now: Moment) -> Moment:
        """The moment of a volatile read, after all releases that its thread has read, even without a fence.

        This holds for the read alone, not for what follows it.
        """
        clocks = now.clock.copy()
        for i, thread in enumerate(threads.tolist()):
            told = tuple(self._pending.get(thread, {}).values())
            known = self.clocks[int(clocks[i])]
            if any(known.get(key, 0) < value for clock in told for key, value in clock.items()):
                clocks[i] = self._number(_join(known, *told))
        return replace(now, clock=clocks)

    def _receive(self, thread: int, clock: Clock) -> None:
        known = self.clocks[int(self._clock[thread])]
        if any(known.get(key, 0) < value for key, value in clock.items()):
            self._clock[thread] = self._number(_join(known, clock))

    def _number(self, clock: Clock) -> int:
        self.clocks.append(clock)
        return len(self.clocks) - 1

    def _full(self, thread: int, moment: Moment, at: int) -> Clock:
        """The clock of everything before a moment (its entry `at`) of a thread, its own accesses included."""
        block, inside = divmod(thread, self.shape.threads_per_block)
        own = {
            ("grid", 0): int(moment.grid[at]),
            ("block", block): int(moment.block[at]),
            ("warp", block * self.shape.warps_per_block + inside // WARP_SIZE): int(moment.warp[at]),
            ("thread", thread): int(moment.segment[at]) + 1,
        }
        return _join(self.clocks[int(moment.clock[at])], {key: n for key, n in own.items() if n})


class _Fences:
    """The last fence of each thread, if it has performed one."""

    def __init__(self, threads: int) -> None:
        self.exists = np.zeros(threads, np.bool_)
        self.moment = Moment(*(np.zeros(threads, np.int64) for _ in range(5)))

    def set(self, threads: Ints, now: Moment) -> None:
        self.exists[threads] = True
        for name in ("grid", "block", "warp", "segment", "clock"):
            getattr(self.moment, name)[threads] = getattr(now, name)


def is_synchronising(event: Touch) -> bool:
    """Whether an access can carry order from thread to thread: atomic and volatile accesses.

    Plain accesses race, and so do those that are atomic for their own thread alone.
    """
    if event.scope is Scope.THREAD:
        return False
    return event.kind is AccessKind.ATOMIC or event.order is not MemoryOrder.PLAIN


def is_atomic(event: Touch) -> bool:
    """Whether an access is an atomic operation, or a load or store of an atomic object."""
    return event.kind is AccessKind.ATOMIC or event.order not in (MemoryOrder.PLAIN, MemoryOrder.VOLATILE)


def _join(*clocks: Clock) -> Clock:
    joined: dict[tuple[str, int], int] = {}
    for clock in clocks:
        for key, value in clock.items():
            if joined.get(key, 0) < value:
                joined[key] = value
    return joined
