"""Observers of runs: what the access model keeps, and what the harness wants to know besides."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hgrd.cuda.memory_model import AccessKind, Level, Scope
from hgrd.program.span import NOWHERE, Span
from hgrd.simulate.detectors.access_model import AccessModel, Race
from hgrd.simulate.detectors.moments import LaunchShape
from hgrd.simulate.trace import Arrive, Fenced, Touch, TraceSite


class Model(AccessModel):
    """`exited`: the lines of barriers of blocks that threads have passed without some of their block."""

    def __init__(self, shape: LaunchShape) -> None:
        super().__init__(shape)
        self.exited: set[int] = set()

    def arrive(self, event: Arrive, /) -> None:
        super().arrive(event)
        if event.scope is Scope.BLOCK and event.threads.size % self._shape.threads_per_block:
            self.exited.add(event.span.line)


class Watch(Model):
    """Counts the accesses since memory was last changed.

    `lenient` sees the same run, and a fence behind each arrival that finds all threads or blocks to have come: what is
    stored only then needs none (docs/verdicts.md, "Arrivals"); it is none where nothing counts.  `counting` are the
    lines with atomics that add to a counter, `arrivals` those among them that have found all.
    """

    idle = 0
    last: Span = NOWHERE

    def __init__(self, shape: LaunchShape, counting: frozenset[int]) -> None:
        super().__init__(shape)
        self.lenient = AccessModel(shape) if counting else None
        self.counting = counting
        self.arrivals: set[int] = set()
        self.sites: list[TraceSite] = []
        self._all = (shape.threads, shape.blocks)

    def touch(self, event: Touch, /) -> None:
        self.idle = 0 if _changes(event) else self.idle + 1
        self.last = self.sites[event.site].span
        super().touch(event)
        if self.lenient is None:
            return
        self.lenient.touch(event)
        if event.kind is AccessKind.ATOMIC and event.values is not None:
            span, last = self.sites[event.site].span, event.threads[np.isin(event.values, self._all)]
            if last.size and span.line in self.counting:
                self.arrivals.add(span.line)
                self.lenient.fenced(Fenced(Scope.DEVICE, last, span))

    def arrive(self, event: Arrive, /) -> None:
        super().arrive(event)
        if self.lenient is not None:
            self.lenient.arrive(event)

    def fenced(self, event: Fenced, /) -> None:
        super().fenced(event)
        if self.lenient is not None:
            self.lenient.fenced(event)

    def racing(self) -> Iterator[tuple[Race, tuple[Level, ...]]]:
        """The races, with the levels at which they are not between others and what only the last one stores."""
        lenient = self.lenient.races() if self.arrivals and self.lenient is not None else ()
        still = {(r.first, r.second, r.space): r.levels for r in lenient}
        for race in self.races():
            levels = race.levels
            if self._stores_last(self.sites[race.first], self.sites[race.second]):
                levels = tuple(x for x in levels if x in still.get((race.first, race.second, race.space), ()))
            yield race, levels

    def _stores_last(self, *ends: TraceSite) -> bool:
        behind = [x for x in ends if any(x.span.line > line for line in self.arrivals)]
        return bool(behind) and all(x.kind is not AccessKind.READ for x in behind)


def _changes(event: Touch) -> bool:
    match event.kind:
        case AccessKind.READ:
            return False
        case AccessKind.WRITE:
            return True
        case AccessKind.ATOMIC:
            return event.values is None or event.before is None or bool((event.values != event.before).any())
