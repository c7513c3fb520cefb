"""Happens-before of a trace: barrier epochs for all threads, clocks for the few that synchronise otherwise.

Barriers number the time of all threads: a thread's *grid*, *block* and *warp* epoch are how many barriers
of that scope it has passed.  Fences with atomics, release and acquire, and barriers of a part of a warp
order single threads; only threads that have received such an order carry a *clock* beyond their epochs.

The order is base causality of the PTX memory model (PTX ISA, "Memory Consistency Model"): the transitive closure of
program order, of barriers and of synchronisation, whatever the scopes of its steps.

- *Release pattern*: a write with release order, or a fence that releases and a strong (atomic or volatile) write behind
  it, or a write with release order and a strong write to the same place behind it.
- *Acquire pattern*: a read with acquire order, or a strong read and a fence that acquires behind it, or a strong read
  and a read of the same place with acquire order behind it.
- A release pattern synchronises with an acquire pattern if the read finds what the write has left, or what a chain of
  atomic operations has made of it (*observation order*).  Each link of the chain must be morally strong, and so must
  the first operation of the one pattern be with the last one of the other: the scope of each includes the other thread.
- A fence that is sequentially consistent also releases if a barrier stands between it and the write of another thread,
  and acquires if one stands between the read of another thread and it; then both sides need such fences, since with
  the fences in the other order the read would come before the write that it has read ("Fence-SC order", "Causality").

A barrier is no fence for other blocks.  A volatile read after a strong read that found something released needs no
fence (docs/verdicts.md, "Order by locks and flags").

A thread that has left the kernel counts as having arrived at the barriers of its block.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from hgrd.cuda.atomics import StdMemoryOrder
from hgrd.cuda.limits import WARP_SIZE
from hgrd.cuda.memory_model import AccessKind, Level, Scope, Space
from hgrd.program.span import Span
from hgrd.simulate.detectors.moments import Clock, Ints, LaunchShape, Moment, join, passed
from hgrd.simulate.detectors.performed_fences import Fences, TotalFences
from hgrd.simulate.trace import Arrive, Fenced, MemoryOrder, Touch

_RELEASING = (MemoryOrder.RELEASE, MemoryOrder.ACQ_REL)
_ACQUIRING = (MemoryOrder.ACQUIRE, MemoryOrder.ACQ_REL)

_Location: TypeAlias = tuple[int, int, int]  # memory, block of its copy, first byte
_Releases: TypeAlias = dict[tuple[int, bool, bool], Clock]
"""By the releasing block, whether other blocks may acquire it, and whether it takes a sequentially consistent fence."""


class PartialBarrier(Struct, frozen=True):
    """A barrier that `threads` of block or warp `unit` bypassed while others of the group passed it."""

    barrier: Span
    scope: Scope
    unit: int
    threads: tuple[int, ...]


class Passed(Struct, frozen=True):
    """A barrier that `unit` (block, warp, or 0 for the grid) passed, ending its epoch `epoch`."""

    scope: Scope
    unit: int
    epoch: int
    span: Span


class _Left(Struct, frozen=True):
    """What the last strong write of a place, by a thread of `block`, has left there; `wide`: also for other blocks."""

    block: int
    wide: bool
    releases: _Releases

    def seen_by(self, block: int, wide: bool) -> bool:
        """Whether the write is morally strong with an access of a block, that is `wide`."""
        return block == self.block or (self.wide and wide)


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
        self._fences = {wide: Fences(n) for wide in (False, True)}
        self._total = {wide: TotalFences(shape) for wide in (False, True)}
        self._left: dict[_Location, _Left] = {}
        self._released_at: dict[tuple[int, _Location], tuple[bool, Clock]] = {}  # by thread
        self._pending: dict[int, dict[tuple[_Location, int], Clock]] = {}
        self._pending_total: dict[int, dict[tuple[_Location, int], tuple[Clock, Moment]]] = {}
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
        total = event.order is StdMemoryOrder.SEQ_CST
        for thread in threads.tolist() if event.order.acquires and self._pending else ():
            self._acquire_pending(thread, wide)
        for thread in threads.tolist() if total and self._pending_total else ():
            self._acquire_in_total_order(thread, wide)
        for each in (False, True) if wide else (False,):
            if event.order.releases:
                self._fences[each].set(threads, self.now(threads))
            if total:
                self._total[each].set(threads, self.now(threads), self._full)
        self._segment[threads] += 1

    def touch(self, event: Touch) -> Moment:
        """Records releases and acquisitions; gives the moment of the access, with the order that it acquires itself."""
        self._appear(event.threads)
        segment = self._segment[event.threads]
        if is_synchronising(event):
            self._synchronise(event)
        elif self._left and event.kind is not AccessKind.READ:
            self._overwrite(event)
        now = replace(self.now(event.threads), segment=segment)
        looks = event.kind is AccessKind.READ and event.order is MemoryOrder.VOLATILE
        return self._looking(event.threads, now) if self._pending and looks else now

    def _overwrite(self, event: Touch) -> None:
        """Drops the releases at these locations: a read of a plain write's value acquires nothing."""
        blocks = self.shape.block(event.threads).tolist() if event.space is Space.SHARED else [0] * len(event.threads)
        for copy, offset in zip(blocks, event.offsets.tolist(), strict=True):
            self._left.pop((event.memory, copy, offset), None)

    def _synchronise(self, event: Touch) -> None:
        ordered = event.order in _RELEASING or event.order in _ACQUIRING
        if not (ordered or self._left or self._fences[False].exists[event.threads].any() or self._total[False].any):
            return
        wide = event.order is MemoryOrder.VOLATILE or (
            event.scope is not None and event.scope.covers(Level.INTER_BLOCK)
        )
        blocks = self.shape.block(event.threads).tolist() if event.space is Space.SHARED else [0] * len(event.threads)
        for thread, copy, offset in zip(event.threads.tolist(), blocks, event.offsets.tolist(), strict=True):
            location = (event.memory, copy, offset)
            if event.kind is not AccessKind.WRITE:
                self._read(thread, location, wide, event.order in _ACQUIRING)
            if event.kind is not AccessKind.READ:
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
            joined = join(*(self._full(t, self.now(np.array([t])), 0) for t in threads.tolist()))
            self._segment[threads] += 1
            self._clock[threads] = self._number(joined)

    def _share(self, threads: Ints) -> None:
        """Joins the clocks of the threads: after a barrier all have the order that one has received."""
        numbers: list[int] = np.unique(self._clock[threads]).tolist()
        if len(numbers) > 1:
            self._clock[threads] = self._number(join(*(self.clocks[n] for n in numbers)))

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
        block, left = thread // self.shape.threads_per_block, self._left.get(location)
        chain = event.kind is AccessKind.ATOMIC and left is not None and left.seen_by(block, wide)
        releases: _Releases = dict(left.releases) if chain and left is not None else {}
        for (far, total), clock in self._released(thread, location, wide, event.order in _RELEASING).items():
            known = releases.get((block, far, total))
            releases[block, far, total] = clock if known is None or known is clock else join(known, clock)
        if releases or left is not None:
            self._left[location] = _Left(block, wide, releases)
        if event.order in _RELEASING:
            self._segment[thread] += 1

    def _released(self, thread: int, location: _Location, wide: bool, now: bool) -> dict[tuple[bool, bool], Clock]:
        """What a strong write of the thread releases: by its own order, or by what comes before it.

        By whether other blocks may acquire it, and whether it takes a sequentially consistent fence.
        """
        found: dict[tuple[bool, bool], Clock] = {}
        if now:
            clock = self._full(thread, self.now(np.array([thread])), 0)
            self._released_at[thread, location] = wide, clock
            found |= {(far, False): clock for far in ((False, True) if wide else (False,))}
        elif (before := self._released_at.get((thread, location))) is not None:
            found |= {(far, False): before[1] for far in ((False, True) if before[0] else (False,))}
        for far, fences in self._fences.items():
            if fences.exists[thread] and not now:
                clock, known = self._full(thread, fences.moment, thread), found.get((far, False))
                found[far, False] = clock if known is None else join(known, clock)
        for far, fences in self._total.items():
            if fences.any and (behind := fences.before(thread, self.now(np.array([thread])))):
                found[far, True] = behind
        return found

    def _read(self, thread: int, location: _Location, wide: bool, acquires: bool) -> None:
        block, left = thread // self.shape.threads_per_block, self._left.get(location)
        if left is None or not left.seen_by(block, wide):
            return
        pending = self._pending.setdefault(thread, {})
        if acquires:
            for key in [k for k in pending if k[0] == location and (wide or k[1] == block)]:
                self._receive(thread, pending.pop(key))
        for (source, far, total), clock in left.releases.items():
            if source != block and not far:
                continue
            if total:
                self._await_total(thread, (location, source), clock)
            elif acquires and (source == block or wide):
                self._receive(thread, clock)
            else:
                known = pending.get((location, source))
                if known is not clock:
                    pending[location, source] = clock if known is None else join(known, clock)

    def _await_total(self, thread: int, key: tuple[_Location, int], clock: Clock) -> None:
        pending = self._pending_total.setdefault(thread, {})
        known = pending.get(key)
        if known is None or known[0] is not clock:
            joined = clock if known is None else join(known[0], clock)
            pending[key] = joined, self.now(np.array([thread]))

    def _acquire_pending(self, thread: int, wide: bool) -> None:
        pending = self._pending.pop(thread, {})
        block = thread // self.shape.threads_per_block
        for (location, source), clock in pending.items():
            if wide or source == block:
                self._receive(thread, clock)
            else:
                self._pending.setdefault(thread, {})[location, source] = clock

    def _acquire_in_total_order(self, thread: int, wide: bool) -> None:
        """A sequentially consistent fence of the thread behind reads of its own, or of others before a barrier."""
        now, block = self.now(np.array([thread])), thread // self.shape.threads_per_block
        for reader, pending in self._pending_total.items():
            near = reader // self.shape.threads_per_block == block
            if reader != thread and not (now.grid[0] or (near and (now.block[0] or now.warp[0]))):
                continue  # no barrier yet
            for (_, source), (clock, read) in pending.items():
                if not wide and not (near and source == block):
                    continue
                if reader == thread or passed(self.shape, (reader, read), (thread, now)):
                    self._receive(thread, clock)

    def _looking(self, threads: Ints, now: Moment) -> Moment:
        """The moment of a volatile read, after all releases that its thread has read, even without a fence.

        This holds for the read alone, not for what follows it.
        """
        clocks = now.clock.copy()
        for i, thread in enumerate(threads.tolist()):
            told = tuple(self._pending.get(thread, {}).values())
            known = self.clocks[int(clocks[i])]
            if any(known.get(key, 0) < value for clock in told for key, value in clock.items()):
                clocks[i] = self._number(join(known, *told))
        return replace(now, clock=clocks)

    def _receive(self, thread: int, clock: Clock) -> None:
        known = self.clocks[int(self._clock[thread])]
        if any(known.get(key, 0) < value for key, value in clock.items()):
            self._clock[thread] = self._number(join(known, clock))

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
        return join(self.clocks[int(moment.clock[at])], {key: n for key, n in own.items() if n})


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
