"""Barrier watch: which instances of a barrier two threads of a run reach.

An instance of a barrier is the barrier at the end of a chain of calls, in one iteration of each loop around
(Collingbourne et al. 2013, figure 4d).  Threads that wait for ever are released, so that barriers after the first
divergent one can be watched, too.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from msgspec import Struct, field

from hgrd.cuda.limits import ALL_LANES, WARP_SIZE
from hgrd.cuda.memory_model import Scope
from hgrd.findings.model import Divergence, DivergenceRule
from hgrd.program.span import Span
from hgrd.simulate.lockstep.arithmetic import uniform
from hgrd.simulate.lockstep.barriers import way
from hgrd.simulate.lockstep.instructions import Meet, ThreadGroup
from hgrd.simulate.lockstep.thread_numbers import spread

Instance: TypeAlias = tuple[tuple[int, ...], tuple[int, ...]]
"""Calls, and iterations."""


class LateError(Exception):
    """The work that a replay may do is used up."""


class SeenError(Exception):
    """The run has shown the finding."""


class WitnessWatch(Struct):
    """Watch of the two threads of a finding at its barrier; `threads` are numbered in the blocks that run.

    `came`: for each, the instances that it has reached, with its mask.  `at`: where each waits now (None: nowhere).
    `forced`: threads have been released from a wait for ever.  Raises SeenError once the run has shown the finding.
    """

    finding: Divergence
    threads: tuple[int, int]
    came: tuple[dict[Instance, int], dict[Instance, int]] = field(default_factory=lambda: ({}, {}))
    at: list[Span | None] = field(default_factory=lambda: [None, None])
    last: Instance | None = None
    forced: bool = False

    def come(self, group: ThreadGroup, barrier: Meet) -> None:
        """Threads arrive at a barrier."""
        for who, thread in enumerate(self.threads):
            found = np.flatnonzero(group.lanes.threads == thread)
            if not found.size:
                continue
            self.at[who] = barrier.span
            if barrier.span == self.finding.span:
                instance = _instance(group, barrier, int(found[0]))
                self.came[who][instance] = _mask(group, barrier, int(found[0]))
                self.last = instance if who == 0 else self.last
                if self.finding.rule is DivergenceRule.MASK:
                    self._compare(group, instance)

    def leave(self, group: ThreadGroup) -> None:
        """Threads pass the barrier at which they have waited."""
        if self.at[0] == self.finding.span and not self.forced and self.threads[0] in group.lanes.threads:
            gone = not group.batch.live[self.threads[1]]
            if gone or self.finding.rule is not DivergenceRule.EXITED:
                self._apart()
        for who, thread in enumerate(self.threads):
            if thread in group.lanes.threads:
                self.at[who] = None

    def stuck(self) -> None:
        """No thread can continue, so some that wait are about to be released."""
        waiting = self.at[0] == self.finding.span and not self.forced
        # a warp's threads may meet at different barriers of one mask
        elsewhere = self.finding.scope == "warp" and self.at[1] is not None
        if waiting and not elsewhere and self.finding.rule is DivergenceRule.DIVERGENT:
            self._apart()
        self.forced = True

    def ended(self) -> None:
        """All threads have ended: the second one will never reach the instances that it has not reached."""
        if self.finding.rule is DivergenceRule.DIVERGENT and self.finding.scope != "warp":
            missed = self.came[0].keys() - self.came[1].keys()
            if missed:
                raise SeenError

    def failed(self) -> str:
        """Why the finding was not seen, in words."""
        if not self.came[0]:
            return f"the barrier in line {self.finding.span.line} was not reached"
        if self.finding.rule is DivergenceRule.MASK:
            return "the masks are right"
        if self.finding.rule is DivergenceRule.EXITED and not self.came[0].keys() <= self.came[1].keys():
            return f"the other thread has not left the kernel before the barrier in line {self.finding.span.line}"
        return f"both threads perform the barrier in line {self.finding.span.line}"

    def _apart(self) -> None:
        """Raises SeenError if the second thread did not reach the barrier that the first passes or never can pass."""
        if self.finding.rule is not DivergenceRule.MASK and self.last not in self.came[1]:
            raise SeenError

    def _compare(self, group: ThreadGroup, instance: Instance) -> None:
        alone = self.finding.witness.second is None
        mine, theirs = (came.get(instance) for came in self.came)
        one, two = (thread % group.batch.block_threads % WARP_SIZE for thread in self.threads)
        if alone and mine is not None and not mine >> one & 1:
            raise SeenError
        if not alone and mine is not None and theirs is not None and mine >> two & 1 and mine != theirs:
            raise SeenError


def _instance(group: ThreadGroup, barrier: Meet, index: int) -> Instance:
    path, counts = way(group, barrier)
    return path, tuple(int(count if uniform(count) else count[index]) for count in counts)


def _mask(group: ThreadGroup, barrier: Meet, index: int) -> int:
    if barrier.scope is not Scope.WARP or barrier.mask is None:
        return ALL_LANES
    return int(spread(group, barrier.mask(group))[index]) & ALL_LANES
