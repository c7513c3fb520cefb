"""Moments of the threads of a launch, in the epochs of its barriers, and clocks: what came before a moment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from hgrd.cuda.limits import WARP_SIZE

Ints: TypeAlias = NDArray[np.int64]
Clock: TypeAlias = Mapping[tuple[str, int], int]
"""Accesses that happened before: of a unit ("grid", "block", "warp", "thread") all in epochs below a number.

The epoch of a thread is its *segment*, which its fences and partial barriers end.
"""


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


def passed(shape: LaunchShape, earlier: tuple[int, Moment], later: tuple[int, Moment]) -> bool:
    """Whether a barrier of both threads stands between a moment of the one and a moment of the other."""
    (one, before), (two, after) = earlier, later
    if before.grid[0] < after.grid[0]:
        return True
    if one // shape.threads_per_block != two // shape.threads_per_block:
        return False
    if before.block[0] < after.block[0]:
        return True
    one, two = one % shape.threads_per_block // WARP_SIZE, two % shape.threads_per_block // WARP_SIZE
    return one == two and bool(before.warp[0] < after.warp[0])


def join(*clocks: Clock) -> Clock:
    joined: dict[tuple[str, int], int] = {}
    for clock in clocks:
        for key, value in clock.items():
            if joined.get(key, 0) < value:
                joined[key] = value
    return joined
