"""Bounded runs: the work that runs may do, and an observer that ends a run that has shown its finding."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from hgrd.simulate.launch import Finished, OutOfFuel, RunOutcome
from hgrd.simulate.replay.barrier_watch import LateError, SeenError
from hgrd.simulate.trace import Arrive, Fenced, Observer, Touch

FIRST_LOOK = 1 << 19
_TOUCH, _TOUCH_OF_THREAD = 1 << 12, 1 << 4  # the observer's work for an access, and for each of its threads
_ATOMIC_OF_THREAD = 1 << 12  # for each thread of an atomic: what others have released there is passed on one by one


class Work(Struct):
    """Work that a replay has `done` of what it may do, as the executor counts fuel."""

    limit: int
    done: int = 0

    @property
    def left(self) -> int:
        return self.limit - self.done

    def count(self, outcome: RunOutcome, fuel: int) -> None:
        """Counts a run that was given some fuel."""
        self.done += (
            outcome.statements if isinstance(outcome, Finished) else fuel if isinstance(outcome, OutOfFuel) else 0
        )


class BoundedWatch(Struct):
    """Forwards events to an observer, and stops the run when its work is used up, or when `seen` is true.

    `look` is the amount of work after which `seen` is called next: `pause` more, then twice as much, …
    """

    model: Observer
    work: Work
    seen: Callable[[], bool]
    look: int
    pause: int = 2 * FIRST_LOOK

    def touch(self, event: Touch, /) -> None:
        each = _TOUCH_OF_THREAD if event.scope is None else _ATOMIC_OF_THREAD
        self.work.done += _TOUCH + each * len(event.threads)
        if self.work.left < 0:
            raise LateError
        self.model.touch(event)
        if self.work.done > self.look:
            if self.seen():
                raise SeenError
            self.look, self.pause = self.work.done + self.pause, 2 * self.pause

    def arrive(self, event: Arrive, /) -> None:
        self.model.arrive(event)

    def fenced(self, event: Fenced, /) -> None:
        self.model.fenced(event)
