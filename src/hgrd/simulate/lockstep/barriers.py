"""Barriers of a batch: the threads that pass one, and those that wait for ever.

A barrier lets threads pass when all threads of their block (the lanes of their warp that the mask names, the
grid) that have not ended are there.  Threads of a block, or the grid, must have reached it by the same calls and be
in the same iterations of the loops around it: all or none are at one (Collingbourne et al. 2013, section 3).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hgrd.cuda.limits import WARP_SIZE
from hgrd.cuda.memory_model import Scope
from hgrd.simulate.launch import StuckAtBarrier
from hgrd.simulate.lockstep.arithmetic import Value, uniform
from hgrd.simulate.lockstep.instructions import Batch, Invoke, InvokeIndirect, Meet, ThreadGroup, UnsupportedError
from hgrd.simulate.lockstep.thread_numbers import block_rows, lane_numbers, launch_threads, spread, warp_numbers
from hgrd.simulate.trace import Arrive

_SHOWN = 4  # threads named in a divergence


def release(batch: Batch, groups: list[ThreadGroup], barrier: Meet) -> bool:
    """Releases the threads with a complete group; whether there were any."""
    there = [g for g in groups if g.waiting and g.frame.code.instructions[g.pc] is barrier]
    passing = _complete(batch, there, barrier)
    if barrier.scope is not Scope.WARP and batch.watch is None:
        _agree(batch, there, passing, barrier)
    released: list[ThreadGroup] = []
    for group, mask in zip(there, passing, strict=True):
        if not mask.any():
            continue
        if not mask.all():
            going, staying = group.lanes.split(mask)
            group.lanes = staying
            group = ThreadGroup(batch, group.frame, going, group.pc, overtaken=group.overtaken)
            groups.append(group)
        released.append(group)
    go_on(released, barrier, len(there))
    return bool(released)


class DivergenceError(Exception):
    """Threads are at one barrier, but by different calls or in different iterations."""

    def __init__(self, found: StuckAtBarrier) -> None:
        super().__init__(str(found.span))
        self.found = found


def _agree(batch: Batch, there: list[ThreadGroup], passing: list[NDArray[np.bool_]], barrier: Meet) -> None:
    """Raises DivergenceError if threads that would pass together have come by different calls or iterations."""
    ways = [way(group, barrier) for group in there]
    if len(ways) == 1 and all(uniform(count) for count in ways[0][1]):
        return
    paths = [path for path, _ in ways]
    width = 1 + max(len(counts) for _, counts in ways)
    tables: list[NDArray[np.int64]] = []
    for group, (path, counts) in zip(there, ways, strict=True):
        table = np.zeros((group.count, width), np.int64)
        table[:, 0] = paths.index(path)
        for i, count in enumerate(counts, 1):
            table[:, i] = count
        tables.append(table)
    chosen = np.concatenate(passing)
    threads = np.concatenate([g.lanes.threads for g in there])[chosen]
    order = np.argsort(threads)
    table, threads = np.concatenate(tables)[chosen][order], threads[order]
    party = threads // batch.block_threads if barrier.scope is Scope.BLOCK else np.zeros_like(threads)
    _, first, inverse = np.unique(party, return_index=True, return_inverse=True)
    wrong = np.flatnonzero((table != table[first][inverse]).any(axis=1))
    if wrong.size:
        base = batch.first_block * batch.block_threads
        one, other = int(threads[first[inverse[wrong[0]]]]) + base, int(threads[wrong[0]]) + base
        raise DivergenceError(StuckAtBarrier(barrier.scope, barrier.span, (one,), (other,), barrier.span))


def way(group: ThreadGroup, barrier: Meet) -> tuple[tuple[int, ...], list[Value]]:
    """The calls on the stack, and the iterations of the loops around (one count per thread, or one for all)."""
    frame, inner = group.frame, group.lanes
    path: list[int] = []
    counts: list[Value] = [frame.slots[n].load(inner) for n in barrier.around]
    index = inner.index
    while frame.caller is not None and frame.caller_lanes is not None:
        call = frame.return_to - 1
        path.append(call)
        instruction = frame.caller.code.instructions[call]
        assert isinstance(instruction, Invoke | InvokeIndirect)
        for n in instruction.around:
            held = frame.caller.slots[n].load(frame.caller_lanes)
            counts.append(held if uniform(held) or index is None else held[index])
        outer = frame.caller_lanes.index
        index = outer if index is None else index if outer is None else outer[index]
        frame = frame.caller
    return tuple(path), counts


def go_on(passing: list[ThreadGroup], barrier: Meet, groups: int) -> None:
    """Makes threads that wait at a barrier pass it together; `groups`: how many groups of threads are at it."""
    for group in passing:
        if group.batch.watch is not None:
            group.batch.watch.leave(group)
    if passing and barrier.orders and passing[0].batch.observer is not None:
        _tell(passing, barrier)
    for group in passing:
        _pass(group, barrier, groups)


def _pass(group: ThreadGroup, barrier: Meet, groups: int) -> None:
    if barrier.exchange is not None and barrier.result is not None:
        if groups > 1:
            raise UnsupportedError("threads exchange values from several activations of a function", barrier.span)
        group.frame.slots[barrier.result].store(group.lanes, barrier.exchange(group))
    group.waiting = False
    group.rounds = 0
    group.pc += 1


def _complete(batch: Batch, there: list[ThreadGroup], barrier: Meet) -> list[NDArray[np.bool_]]:
    """For each group, the threads that need not wait for any other."""
    if len(there) == 1 and there[0].lanes.count == batch.threads:
        return [np.ones(batch.threads, np.bool_)]
    if barrier.scope is Scope.WARP:
        return _complete_warps(batch, there, barrier)
    if barrier.scope is Scope.BLOCK:
        per_block = batch.live.reshape(batch.blocks, -1).sum(axis=1)
        arrived = sum(np.bincount(block_rows(g), minlength=batch.blocks) for g in there)
        complete: NDArray[np.bool_] = np.asarray(arrived == per_block)
        return [complete[block_rows(g)] for g in there]
    everyone = sum(g.count for g in there) == int(batch.live.sum()) and batch.blocks == batch.launch.blocks
    return [np.full(g.count, everyone) for g in there]


def _complete_warps(batch: Batch, there: list[ThreadGroup], barrier: Meet) -> list[NDArray[np.bool_]]:
    warps = -(-batch.block_threads // WARP_SIZE)
    live = np.zeros((batch.blocks, warps * WARP_SIZE), np.bool_)
    live[:, : batch.block_threads] = batch.live.reshape(batch.blocks, -1)
    bits = np.left_shift(np.int64(1), np.arange(WARP_SIZE))
    living = live.reshape(-1, WARP_SIZE) @ bits
    present = np.zeros(living.shape, np.int64)
    for group in there:
        np.add.at(present, warp_numbers(group), np.left_shift(np.int64(1), lane_numbers(group)))
    found: list[NDArray[np.bool_]] = []
    for group in there:
        mask = np.int64(0xFFFFFFFF) if barrier.mask is None else spread(group, barrier.mask(group)).astype(np.int64)
        warp = warp_numbers(group)
        missing = mask & living[warp] & ~present[warp]
        found.append(np.asarray(missing == 0))
    return found


def _tell(passing: list[ThreadGroup], barrier: Meet) -> None:
    """Reports the barrier to the observer, with one event per block or warp: several activations can meet in one."""
    observer = passing[0].batch.observer
    assert observer is not None
    threads = np.concatenate([launch_threads(g) for g in passing])
    if barrier.scope is Scope.DEVICE:
        observer.arrive(Arrive(barrier.scope, np.sort(threads), barrier.span))
        return
    keys = np.concatenate(
        [block_rows(g) if barrier.scope is Scope.BLOCK else _meeting_keys(g, barrier) for g in passing]
    )
    order = np.lexsort((threads, keys))
    cuts = np.flatnonzero(np.diff(keys[order])) + 1
    for part in np.split(threads[order], cuts):
        observer.arrive(Arrive(barrier.scope, part, barrier.span))


def _meeting_keys(group: ThreadGroup, barrier: Meet) -> NDArray[np.int64]:
    """Keys of warps, and in them of the masks that the threads have given."""
    mask = np.int64(0xFFFFFFFF) if barrier.mask is None else spread(group, barrier.mask(group)).astype(np.int64)
    return warp_numbers(group) << 32 | (mask & 0xFFFFFFFF)


# ---------------------------------------------------------------- divergence


def divergence(batch: Batch, groups: list[ThreadGroup]) -> StuckAtBarrier:
    """Divergence when no thread can run: the first barrier with waiting threads, and those of its party elsewhere."""
    group = min(groups, key=lambda g: g.place)
    barrier = group.frame.code.instructions[group.pc]
    assert isinstance(barrier, Meet)
    first = int(group.lanes.threads[0])
    here = [g for g in groups if g.frame.code.instructions[g.pc] is barrier]
    party = np.flatnonzero(batch.live & _party(batch, barrier, first))
    waiting = np.intersect1d(np.concatenate([g.lanes.threads for g in here]), party)
    missing = np.setdiff1d(party, waiting)
    other = next(
        (g.frame.code.instructions[g.pc].span for g in groups if missing.size and np.isin(missing[0], g.lanes.threads)),
        None,
    )
    base = batch.first_block * batch.block_threads
    return StuckAtBarrier(
        barrier.scope,
        barrier.span,
        tuple(int(t) + base for t in waiting[:_SHOWN]),
        tuple(int(t) + base for t in missing[:_SHOWN]),
        other,
    )


def _party(batch: Batch, barrier: Meet, thread: int) -> NDArray[np.bool_]:
    """The threads of the same block, warp or grid."""
    threads = np.arange(batch.threads)
    block = threads // batch.block_threads
    if barrier.scope is Scope.DEVICE:
        return np.ones(batch.threads, np.bool_)
    same = block == thread // batch.block_threads
    if barrier.scope is Scope.BLOCK:
        return same
    inside = threads % batch.block_threads // WARP_SIZE
    return same & (inside == thread % batch.block_threads // WARP_SIZE)
