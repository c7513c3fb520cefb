"""All schedules of a tiny launch, up to the order of independent steps.

Stateless search with dynamic partial-order reduction (Flanagan and Godefroid, POPL 2005, with sleep sets):
runs are repeated from the start, and where two steps of a run touch the same bytes, one of them writing, and
nothing orders them, the other order is tried as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec import Struct, field

from hgrd.cuda.memory_model import Space
from hgrd.simulate.interleaving.execution import Execution
from hgrd.simulate.interleaving.steps import ThreadAccess


class _Footprint(Struct, frozen=True):
    """The bytes of an access, of the block's copy for shared memory."""

    memory: int
    copy: int
    first: int
    size: int
    writes: bool

    def depends_on(self, other: _Footprint) -> bool:
        return (
            (self.writes or other.writes)
            and (self.memory, self.copy) == (other.memory, other.copy)
            and self.first < other.first + other.size
            and other.first < self.first + self.size
        )


class _Choice(Struct):
    """A state on the path: the next step of each thread, the chosen thread, and those that are yet to be tried."""

    next: dict[int, _Footprint]
    sleep: dict[int, _Footprint]
    chosen: int
    wanted: set[int]
    tried: set[int] = field(default_factory=set[int])


def every_schedule(start: Callable[[], Execution], most: int = 10_000) -> Iterator[Execution]:
    """The finished runs of an execution under schedules that represent all others.

    `start` makes the same execution anew each time.  Ends after `most` runs, even if schedules are left to try.
    """
    path: list[_Choice] = []
    for _ in range(most):
        execution = start()
        complete = _run(execution, path)
        if complete:
            yield execution
        while path and not _turn(path[-1]):
            path.pop()
        if not path:
            return


def _turn(choice: _Choice) -> bool:
    """Chooses another thread at this state; False if there is none left."""
    choice.tried.add(choice.chosen)
    choice.sleep[choice.chosen] = choice.next[choice.chosen]
    left = sorted(choice.wanted - choice.tried - choice.sleep.keys())
    if left:
        choice.chosen = left[0]
    return bool(left)


def _run(execution: Execution, path: list[_Choice]) -> bool:
    """Follows the path and continues from its end; False if other runs cover all that could follow."""
    clocks = _Clocks()
    depth = 0
    while ready := execution.ready():
        if depth == len(path):
            footprints = {t: _footprint(execution, t) for t in ready}
            sleep = _asleep(path[-1]) if path else {}
            awake = [t for t in ready if t not in sleep]
            if not awake:
                return False
            path.append(_Choice(footprints, sleep, awake[0], {awake[0]}))
        choice = path[depth]
        thread = choice.chosen
        for earlier in clocks.unordered(thread, choice.next[thread]):
            before = path[earlier]
            before.wanted |= {thread} if thread in before.next else before.next.keys()
        meetings = len(execution.meetings)
        execution.step(thread)
        clocks.step(thread, choice.next[thread])
        for members in execution.meetings[meetings:]:
            clocks.meet(members)
        depth += 1
    return True


def _asleep(choice: _Choice) -> dict[int, _Footprint]:
    """Sleep set: threads with a next step that was tried before the chosen one, and does not depend on it."""
    chosen = choice.next[choice.chosen]
    return {t: f for t, f in choice.sleep.items() if t != choice.chosen and not f.depends_on(chosen)}


def _footprint(execution: Execution, thread: int) -> _Footprint:
    access = execution.pending(thread)
    assert isinstance(access, ThreadAccess)
    copy = execution.block_of(thread) if execution.heap.space(access.number) is Space.SHARED else -1
    return _Footprint(access.number, copy, access.offset, access.size, access.change is not None)


class _Clocks:
    """Happens-before among the steps of one run: by thread, how many steps of each thread come before."""

    def __init__(self) -> None:
        self._steps: list[tuple[int, int, _Footprint, dict[int, int]]] = []
        self._now: dict[int, dict[int, int]] = {}
        self._count: dict[int, int] = {}

    def unordered(self, thread: int, footprint: _Footprint) -> list[int]:
        """Earlier steps that this one depends on and that nothing else orders before it."""
        now = self._now.get(thread, {})
        return [
            i
            for i, (other, count, seen, _) in enumerate(self._steps)
            if other != thread and seen.depends_on(footprint) and now.get(other, 0) < count
        ]

    def step(self, thread: int, footprint: _Footprint) -> None:
        now = dict(self._now.get(thread, {}))
        for _, _, seen, clock in self._steps:
            if seen.depends_on(footprint):
                now = _later(now, clock)
        self._count[thread] = now[thread] = self._count.get(thread, 0) + 1
        self._now[thread] = now
        self._steps.append((thread, now[thread], footprint, now))

    def meet(self, members: tuple[int, ...]) -> None:
        joined: dict[int, int] = {}
        for thread in members:
            joined = _later(joined, self._now.get(thread, {}))
        self._now.update(dict.fromkeys(members, joined))


def _later(a: dict[int, int], b: dict[int, int]) -> dict[int, int]:
    return {t: max(a.get(t, 0), b.get(t, 0)) for t in a.keys() | b.keys()}
