"""Memory access model: the accesses of every thread to every byte, by phase, and the races among them.

Simulee ("Detecting CUDA Synchronization Bugs via Memory Access Modeling", ICSE 2020, section 4.2) keeps for
each address tuples (visit order, thread, action), where barriers advance the visit order.  Here the visit
order is a thread's epochs and clock (`happens_before`), so that barriers of warps, blocks and the grid, fences with
atomics, releases and acquisitions all count, each within its scope; and a race is what docs/verdicts.md says.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from hgrd.cuda.limits import WARP_SIZE
from hgrd.cuda.memory_model import AccessKind, Level, Scope, Space
from hgrd.program.span import Span
from hgrd.simulate.detectors.happens_before import Ordering, PartialBarrier, is_atomic
from hgrd.simulate.detectors.moments import Clock, LaunchShape, Moment
from hgrd.simulate.detectors.overlaps import (
    Bools,
    Ints,
    Meetings,
    Rows,
    concatenated,
    in_grains,
    meetings,
    numbered,
    pairs_within,
)
from hgrd.simulate.trace import Arrive, Fenced, Touch

_COMPACT_AT = 1 << 21
_SHORT = 256  # entries of a column that is not worth compressing
_MOST_PAIRS = 1 << 23  # that clocks may order


class Example(Struct, frozen=True):
    """Two threads of the launch that race, and `size` bytes that both touch, from byte `offset` of an object on."""

    level: Level
    first_thread: int
    second_thread: int
    memory: int
    offset: int
    size: int


class Race(Struct, frozen=True):
    """Two sites (numbers in the trace, first <= second) that race; an example for each level, narrowest first.

    `same_value`: both are writes, and wherever they met they wrote the same value.
    """

    first: int
    second: int
    space: Space
    examples: tuple[Example, ...]
    same_value: bool

    @property
    def levels(self) -> tuple[Level, ...]:
        return tuple(example.level for example in self.examples)


class BarrierUse(Struct, frozen=True):
    """How often threads passed a barrier, and how often some conflict would have been a race without it.

    A barrier with `needed` 0 is redundant in this run (Simulee, section 4.2.2) if it alone is removed: of two
    barriers with nothing between them each is redundant, but not both.
    """

    span: Span
    scope: Scope
    passed: int
    needed: int


class _Kind(Struct, frozen=True):
    """Kind of access: accesses of one kind are treated the same."""

    site: int
    kind: AccessKind
    space: Space
    atomic: bool
    scope: Scope | None
    size: int


class AccessModel:
    """An observer; ask it after the run.  It keeps all accesses that differ in site, thread, phase, bytes or value."""

    def __init__(self, shape: LaunchShape, only: tuple[int, ...] = ()) -> None:
        """Threads in `only`: the model keeps their accesses alone, with the order that all threads made; () for all."""
        self.ordering = Ordering(shape)
        self._shape = shape
        self._only = np.array(only, np.int64)
        self._kinds: dict[_Kind, int] = {}
        self._parts: list[Rows] = []
        self._single: list[tuple[int, ...]] = []  # rows of touches by one thread
        self._waiting = 0
        self._most = _COMPACT_AT

    # ------------------------------------------------------------ observing

    def touch(self, event: Touch, /) -> None:
        now = self.ordering.touch(event)
        if self._only.size:
            kept = np.flatnonzero(np.isin(event.threads, self._only))
            if not kept.size:
                return
            event, now = event.taken(kept), now.taken(kept)
        kind = _Kind(event.site, event.kind, event.space, is_atomic(event), event.scope, event.size)
        number, n = self._kinds.setdefault(kind, len(self._kinds)), len(event.threads)
        value = _as_numbers(event.values, event.size) if event.kind is AccessKind.WRITE else None
        if n == 1:
            self._single.append(self._row(number, event, now, value))
        else:
            self._parts.append(self._rows(number, event, now, value))
        self._waiting += n
        if self._waiting > self._most:
            self._most = max(_COMPACT_AT, 2 * len(self._compact()))

    def _row(self, kind: int, event: Touch, now: Moment, value: Ints | None) -> tuple[int, ...]:
        thread = int(event.threads[0])
        return (
            kind, event.memory, thread // self._shape.threads_per_block if event.space is Space.SHARED else 0,
            int(event.offsets[0]), event.size, thread,
            int(now.grid[0]), int(now.block[0]), int(now.warp[0]), int(now.segment[0]), int(now.clock[0]),
            0 if value is None else int(value[0]), int(value is not None),
        )  # fmt: skip

    def _rows(self, kind: int, event: Touch, now: Moment, value: Ints | None) -> Rows:
        n = len(event.threads)
        everywhere = np.zeros(n, np.int64)
        columns = (
            np.full(n, kind), np.full(n, event.memory),
            self._shape.block(event.threads) if event.space is Space.SHARED else everywhere,
            event.offsets, np.full(n, event.size), event.threads,
            now.grid, now.block, now.warp, now.segment, now.clock,
            everywhere if value is None else value, np.full(n, int(value is not None)),
        )  # fmt: skip
        return Rows(*map(_compressed, columns))

    def arrive(self, event: Arrive, /) -> None:
        self.ordering.arrive(event)

    def fenced(self, event: Fenced, /) -> None:
        self.ordering.fenced(event)

    def _compact(self) -> Rows:
        single = (Rows(*np.array(self._single, np.int64).T),) if self._single else ()
        found = concatenated((*self._parts, *single)).distinct()
        rows = Rows(*map(_compressed, found.columns()))
        self._parts, self._single, self._waiting = [rows], [], len(rows)
        return rows

    # ------------------------------------------------------------ findings

    @property
    def divergences(self) -> tuple[PartialBarrier, ...]:
        """Barriers that threads bypassed; after such a barrier the order of its threads has no meaning."""
        return tuple(self.ordering.divergences)

    def ordered_by_clocks(self) -> bool:
        """Whether the order of some accesses comes from what threads have found in memory."""
        return bool(self._compact().clock.any())

    def bytes_held(self) -> int:
        """Size of the model in memory."""
        return sum(part.nbytes() for part in self._parts) + 8 * sum(map(len, self._single))

    def made(self) -> set[tuple[int, int]]:
        """Pairs of numbers of a thread and of a site where it has accessed memory, among the accesses kept."""
        rows, sites = self._compact(), [kind.site for kind in self._kinds]
        pairs = np.unique(np.stack([rows.thread, rows.kind]), axis=1)
        return {(int(thread), sites[int(kind)]) for thread, kind in pairs.T}

    def races(self) -> tuple[Race, ...]:
        """All pairs of sites that race, sorted."""
        rows = in_grains(self._compact())
        found = _Found(list(self._kinds), self.ordering.clocks, self._shape, rows)
        plain = rows.clock == 0
        for level in Level:
            group, party = _groups(rows, level, self._shape)
            allowed = self._allowed(level)
            kept = np.flatnonzero(plain & _contested(group, party, rows, allowed))
            found.meet(level, meetings(group[kept], rows.kind[kept], party[kept], rows.take(kept), allowed), kept)
            if not plain.all():
                found.compare(level, group, party, allowed)
        return found.races()

    def barriers(self) -> tuple[BarrierUse, ...]:
        """Use of each barrier of the source, counting the times that whole groups have passed it."""
        rows = in_grains(self._compact())
        needed: set[tuple[Scope, int, int]] = set()
        for scope in (Scope.WARP, Scope.BLOCK, Scope.DEVICE):
            if any(p.scope is scope for p in self.ordering.passed):
                needed |= {(scope, unit, epoch) for unit, epoch in self._needed(rows, scope)}
        uses: dict[tuple[Span, Scope], list[int]] = {}
        for passed in self.ordering.passed:
            use = uses.setdefault((passed.span, passed.scope), [0, 0])
            use[0] += 1
            use[1] += (passed.scope, passed.unit, passed.epoch) in needed
        return tuple(
            BarrierUse(*key, *use) for key, use in sorted(uses.items(), key=lambda u: (u[0][0], u[0][1].value))
        )

    def _needed(self, rows: Rows, scope: Scope) -> set[tuple[int, int]]:
        """Barriers, as (unit, epoch), with a conflict between the epoch that they end and the next one."""
        epoch, unit = {
            Scope.WARP: (rows.warp, self._shape.warp(rows.thread)),
            Scope.BLOCK: (rows.block, self._shape.block(rows.thread)),
        }.get(scope, (rows.grid, np.zeros(len(rows), np.int64)))
        needed: set[tuple[int, int]] = set()
        for level in filter(scope.covers, Level):
            across = np.kron(self._allowed(level), np.array([[False, True], [True, False]]))
            for shift in (0, 1):
                merged = (epoch + shift) // 2
                group, party = _groups(rows, level, self._shape, scope, merged)
                met = meetings(group, 2 * rows.kind + (epoch + shift) % 2, party, rows, across).first_row
                needed |= set(zip(unit[met].tolist(), (2 * merged[met] - shift).tolist(), strict=True))
        return needed

    def _allowed(self, level: Level) -> Bools:
        """Table of kinds that conflict: not two reads, not two atomic accesses of one size and of sufficient scope."""
        kinds = list(self._kinds)
        writes = np.array([k.kind is not AccessKind.READ for k in kinds], np.bool_)
        safe = np.array([k.atomic and (k.scope is None or k.scope.covers(level)) for k in kinds], np.bool_)
        sizes = np.array([k.size for k in kinds], np.int64)
        alike = sizes[:, None] == sizes[None, :]
        return (writes[:, None] | writes[None, :]) & ~(safe[:, None] & safe[None, :] & alike)


def _groups(
    rows: Rows, level: Level, shape: LaunchShape, instead: Scope | None = None, epochs: Ints | None = None
) -> tuple[Ints, Ints]:
    """Numbers of the groups of rows that are unordered by barriers at a level, and the party of each row.

    `epochs` replace those of barriers of the scope `instead` (None: of no scope).
    """
    passed = {Scope.DEVICE: rows.grid, Scope.BLOCK: rows.block, Scope.WARP: rows.warp}
    if instead is not None and epochs is not None:
        passed[instead] = epochs
    now = [passed[scope] for scope in passed if scope.covers(level)]
    place = [rows.memory, rows.copy, rows.offset]
    warp, block = shape.warp(rows.thread), shape.block(rows.thread)
    match level:
        case Level.INTRA_WARP:
            return numbered(*place, warp, *now), rows.thread
        case Level.INTRA_BLOCK:
            return numbered(*place, block, *now), warp
        case Level.INTER_BLOCK:
            return numbered(*place, *now), block


def _contested(group: Ints, party: Ints, rows: Rows, allowed: Bools) -> Bools:
    """Rows of groups with more than one party, of kinds that conflict with any."""
    conflicting: Bools = np.any(allowed, axis=1)
    able = conflicting[rows.kind]
    both = np.unique(numbered(group, party)[able], return_index=True)[1]
    groups, count = np.unique(group[able][both], return_counts=True)
    return able & np.isin(group, groups[count > 1])


def _met_by_others(group: Ints, kind: Ints, allowed: Bools) -> Bools:
    """Rows in whose group there is a kind that conflicts with theirs."""
    groups, inside = np.unique(group, return_inverse=True)
    present = np.zeros((len(groups), len(allowed)), np.bool_)
    present[inside, kind] = True
    return (present @ allowed)[inside, kind]


class _Found:
    """Collects races from examples."""

    def __init__(self, kinds: list[_Kind], clocks: list[Clock], shape: LaunchShape, rows: Rows) -> None:
        self._kinds, self._clocks, self._shape, self._rows = kinds, clocks, shape, rows
        self._examples: dict[tuple[int, int, Space], dict[Level, Example]] = {}
        self._differs: set[tuple[int, int, Space]] = set()
        self._covered: dict[tuple[int, ...], bool] = {}

    def meet(self, level: Level, met: Meetings, at: Ints) -> None:
        """Adds meetings; `at` gives the row of the table for each of their rows."""
        pairs = numbered(met.first_kind, met.second_kind, met.same.astype(np.int64))
        for i in np.unique(pairs, return_index=True)[1].tolist():
            self.add(level, int(at[met.first_row[i]]), int(at[met.second_row[i]]), bool(met.same[i]))

    def add(self, level: Level, i: int, j: int, same: bool) -> None:
        rows = self._rows
        a, b = self._kinds[int(rows.kind[i])], self._kinds[int(rows.kind[j])]
        if a.site > b.site:
            a, b, i, j = b, a, j, i
        key = (a.site, b.site, a.space)
        threads = int(rows.thread[i]), int(rows.thread[j])
        example = Example(level, *threads, int(rows.memory[i]), int(rows.offset[i]), int(rows.size[i]))
        self._examples.setdefault(key, {}).setdefault(level, example)
        if not (same and all(k.kind is AccessKind.WRITE and not k.atomic for k in (a, b))):
            self._differs.add(key)

    def compare(self, level: Level, group: Ints, party: Ints, allowed: Bools) -> None:
        """Adds races among the pairs of rows with a clock on either side, where clocks do not order them.

        Of very many pairs the first ones are looked at: a run shows some races, and never that there are none.
        """
        rows = self._rows
        contested = _contested(group, party, rows, allowed)
        clocked = np.flatnonzero(contested & np.isin(group, np.unique(group[rows.clock > 0])))
        clocked = clocked[_met_by_others(group[clocked], rows.kind[clocked], allowed)]
        done: set[tuple[int, int]] = set()
        looked_at = 0
        for left, right in pairs_within(group[clocked]) if len(clocked) else ():
            left, right = clocked[left], clocked[right]
            wanted = allowed[rows.kind[left], rows.kind[right]] & (party[left] != party[right])
            wanted &= (rows.clock[left] > 0) | (rows.clock[right] > 0)
            left, right = left[wanted], right[wanted]
            looked_at += len(left)
            if looked_at > _MOST_PAIRS:
                return
            same = (rows.value[left] == rows.value[right]) & (rows.known[left] * rows.known[right] > 0)
            for i, j, equal in zip(left.tolist(), right.tolist(), same.tolist(), strict=True):
                kinds = (int(rows.kind[i]), int(rows.kind[j]))
                if kinds in done or self._covers(int(rows.clock[j]), i) or self._covers(int(rows.clock[i]), j):
                    continue
                self.add(level, i, j, equal)
                if not equal:
                    done |= {kinds, (kinds[1], kinds[0])}

    def _covers(self, clock: int, i: int) -> bool:
        """Whether the access of row `i` happened before a moment with this clock."""
        rows = self._rows
        moment = (int(rows.thread[i]), int(rows.grid[i]), int(rows.block[i]), int(rows.warp[i]), int(rows.segment[i]))
        key = (clock, *moment)
        if key not in self._covered:
            self._covered[key] = covers(self._clocks[clock], self._shape, *moment)
        return self._covered[key]

    def races(self) -> tuple[Race, ...]:
        return tuple(
            Race(*key, tuple(found[level] for level in Level if level in found), key not in self._differs)
            for key, found in sorted(self._examples.items(), key=lambda item: (*item[0][:2], item[0][2].value))
        )


def covers(clock: Clock, shape: LaunchShape, thread: int, grid: int, block: int, warp: int, segment: int) -> bool:
    """Whether an access of `thread` in these epochs happened before a moment with this clock."""
    if not clock:
        return False
    number, inside = divmod(thread, shape.threads_per_block)
    unit = number * shape.warps_per_block + inside // WARP_SIZE
    return (
        clock.get(("grid", 0), 0) > grid
        or clock.get(("block", number), 0) > block
        or clock.get(("warp", unit), 0) > warp
        or clock.get(("thread", thread), 0) > segment
    )


def _compressed(column: Ints) -> Ints:
    """The same numbers; if there are many and all are equal, as a broadcast of one number, to save memory."""
    constant = len(column) > _SHORT and bool((column == column[0]).all())
    return np.broadcast_to(column[:1].copy(), column.shape) if constant else column


def _as_numbers(values: NDArray[Any] | None, size: int) -> Ints | None:
    """The bytes of values as numbers; None where they are not known or more than eight."""
    if values is None or values.dtype.hasobject or values.dtype.itemsize != size or size not in (1, 2, 4, 8):
        return None
    return np.ascontiguousarray(values).view(f"<u{size}").astype(np.uint64).view(np.int64)
