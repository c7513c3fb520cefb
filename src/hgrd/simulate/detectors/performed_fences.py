"""Fences that the threads of a launch have performed, and what came before them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hgrd.simulate.detectors.moments import Clock, Ints, LaunchShape, Moment, join, passed


class Fences:
    """The last fence of each thread, if it has performed one."""

    def __init__(self, threads: int) -> None:
        self.exists = np.zeros(threads, np.bool_)
        self.moment = Moment(*(np.zeros(threads, np.int64) for _ in range(5)))

    def set(self, threads: Ints, now: Moment) -> None:
        self.exists[threads] = True
        for name in ("grid", "block", "warp", "segment", "clock"):
            getattr(self.moment, name)[threads] = getattr(now, name)


class TotalFences:
    """Sequentially consistent fences: what came before them, by the thread that has performed them.

    Of each thread the last fence and the last one that a barrier stands behind, with their moments.
    """

    def __init__(self, shape: LaunchShape) -> None:
        self.any = False
        self._shape = shape
        self._fences: dict[int, dict[int, list[tuple[Clock, Moment]]]] = {}  # by block and thread, the last one first
        self._before: dict[tuple[int, ...], Clock] = {}

    def set(self, threads: Ints, now: Moment, full: Callable[[int, Moment, int], Clock]) -> None:
        self.any = True
        for i, thread in enumerate(threads.tolist()):
            moment = now.taken(np.array([i]))
            of_block = self._fences.setdefault(thread // self._shape.threads_per_block, {})
            older = [f for f in of_block.get(thread, ()) if passed(self._shape, (thread, f[1]), (thread, moment))]
            of_block[thread] = [(full(thread, moment, 0), moment), *older[:1]]

    def before(self, thread: int, now: Moment) -> Clock:
        """What came before the fences of the thread, and before those of others that it has met at a barrier since."""
        block = thread // self._shape.threads_per_block
        own = self._fences.get(block, {}).get(thread)
        others = self._of_others(thread, now)
        return others if own is None else join(own[0][0], others)

    def _of_others(self, thread: int, now: Moment) -> Clock:
        """The same for all threads of a warp between two barriers, so it is computed once."""
        warp = int(self._shape.warp(np.array([thread]))[0])
        key = (warp, int(now.grid[0]), int(now.block[0]), int(now.warp[0]))
        if key not in self._before:
            block = thread // self._shape.threads_per_block
            blocks = self._fences if now.grid[0] else {block} & self._fences.keys()
            before = [
                c
                for b in blocks
                for other, fences in self._fences[b].items()
                for c in [c for c, m in fences if passed(self._shape, (other, m), (thread, now))][:1]
            ]
            self._before[key] = join(*before)
        return self._before[key]
