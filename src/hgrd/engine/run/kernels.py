"""Kernels of one program, spread over processes: one that dies or hangs costs the verdict on one launch."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from math import inf
from time import perf_counter

from msgspec import Struct, field

from hgrd.engine.analysis.launch import LaunchResult, not_analyzed
from hgrd.engine.analysis.program import HostedProgram, analyze_kernel
from hgrd.engine.analysis.replay import LateReplayer
from hgrd.engine.run.news import KernelDecided, News, kernel_name
from hgrd.engine.run.processes import Ended, Pipe, Running, readable
from hgrd.engine.run.slots import Slots
from hgrd.findings.options import AnalysisOptions
from hgrd.findings.roll_up import roll_up
from hgrd.solve.session import Session
from hgrd.symbolic.limits import OUT_OF_TIME

_LEAST_SECONDS = 5.0  # of a kernel: some that are decided are better than none
_HANGS = 15.0  # seconds beyond all limits, after which a process is taken to hang
_LONGEST = 3.0  # times the limit of a kernel: what a launch takes at most, with its replays
_REPLAYS = 15.0  # seconds that replays may take in any case


class _Order(Struct, frozen=True):
    """What a process is to do next: the kernel of this number, until `end` (perf_counter())."""

    kernel: int
    end: float


class _KernelDone(Struct, frozen=True):
    pass


class _Analyst(Struct):
    """A process that analyses kernels; `extra`: it works in a slot that is not the program's own."""

    process: Running
    kernel: int
    extra: bool
    patience: float  # the time at which it is taken to hang

    def fileno(self) -> int:
        return self.process.fileno()


def spread(
    hosted: HostedProgram,
    options: AnalysisOptions,
    end: float,
    slots: Slots,
    tell: Callable[[News], None],
    *,
    replay: bool,
) -> None:
    """Analyse all kernels until `end`, in as many processes as there are slots, and tell of each that is done."""
    waiting = deque(range(len(hosted.kernels)))
    _Spread(hosted, options, end, slots, tell, replay, waiting).run()


class _Spread(Struct):
    """State of the work; `waiting` and `done` are kernels by their numbers, as are the `results`."""

    hosted: HostedProgram
    options: AnalysisOptions
    end: float
    slots: Slots
    tell: Callable[[News], None]
    replay: bool
    waiting: deque[int]
    results: dict[int, list[LaunchResult]] = field(default_factory=dict[int, "list[LaunchResult]"])
    done: set[int] = field(default_factory=set[int])
    working: list[_Analyst] = field(default_factory=list[_Analyst])

    def run(self) -> None:
        try:
            while self.waiting or self.working:
                self._start()
                sources = [*self.working, *([self.slots] if self.waiting else [])]
                for ready in readable(sources, self._seconds()):
                    if isinstance(ready, _Analyst):
                        self._hear(ready)
                for analyst in [a for a in self.working if perf_counter() > a.patience]:
                    analyst.process.kill()
                    self._lost(analyst, OUT_OF_TIME)
        finally:
            for analyst in self.working:
                analyst.process.kill()

    def _start(self) -> None:
        while self.waiting and (not self.working or self.slots.take()):
            extra = bool(self.working)
            work = partial(_work, self.hosted, self.options, self.end if self.replay else None)
            analyst = _Analyst(Running(work), 0, extra, inf)
            self.working.append(analyst)
            self._order(analyst)

    def _order(self, analyst: _Analyst) -> None:
        """Gives a process the next kernel, with its fair part of the time; tells it to end where there is none."""
        if not self.waiting:
            analyst.process.send(None)
            return
        ahead = sum(len(self.hosted.kernels[k].launches) for k in self.waiting)
        analyst.kernel = self.waiting.popleft()
        mine = len(self.hosted.kernels[analyst.kernel].launches)
        now = perf_counter()
        share = max((self.end - now) * len(self.working) * mine / ahead, _LEAST_SECONDS)
        analyst.patience = self._patience()
        self.results[analyst.kernel] = []
        analyst.process.send(_Order(analyst.kernel, min(self.end, now + share)))

    def _patience(self) -> float:
        return perf_counter() + _LONGEST * self.options.time_limit + _REPLAYS + _HANGS

    def _seconds(self) -> float:
        return max(min((a.patience for a in self.working), default=inf) - perf_counter(), 0.0)

    def _hear(self, analyst: _Analyst) -> None:
        match analyst.process.receive():
            case LaunchResult() as result:
                self.results[analyst.kernel].append(result)
                analyst.patience = self._patience()
            case _KernelDone():
                self._decided(analyst.kernel)
                self._order(analyst)
            case Ended(reason=reason):
                self._lost(analyst, reason)
            case other:
                raise TypeError(other)

    def _lost(self, analyst: _Analyst, reason: str) -> None:
        """A process has ended; where it died, what it had not done of its kernel is not decided."""
        self.working.remove(analyst)
        if analyst.extra:
            self.slots.put_back()
        if analyst.kernel not in self.done:
            found, results = self.hosted.kernels[analyst.kernel], self.results[analyst.kernel]
            for launch in found.launches[len(results) :] or found.launches[-1:]:
                results.append(LaunchResult(not_analyzed(found.kernel, launch, reason)))
            self._decided(analyst.kernel)

    def _decided(self, kernel: int) -> None:
        """Tells of a kernel as soon as all instances of it are done."""
        self.done.add(kernel)
        name = kernel_name(self.hosted.kernels[kernel].kernel)
        instances = [k for k, found in enumerate(self.hosted.kernels) if kernel_name(found.kernel) == name]
        if self.done.issuperset(instances):
            results = [result for k in instances for result in self.results[k]]
            (report,) = roll_up(result.report for result in results)
            messages = tuple(dict.fromkeys(message for result in results for message in result.messages))
            self.tell(KernelDecided(report, messages))


def _work(hosted: HostedProgram, options: AnalysisOptions, replay_until: float | None, pipe: Pipe) -> None:
    """The life of a process that analyses kernels, one after another."""
    replayer = None if replay_until is None else LateReplayer(replay_until)
    with Session() as session:
        for order in _orders(pipe):
            for result in analyze_kernel(hosted, hosted.kernels[order.kernel], session, options, order.end, replayer):
                pipe.send(result)
            pipe.send(_KernelDone())


def _orders(pipe: Pipe) -> Iterator[_Order]:
    while (order := pipe.recv()) is not None:
        yield order
