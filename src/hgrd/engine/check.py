"""Analysis of paths: each program in a process of its own, and whatever happens, a report of what has been done."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from functools import partial
from importlib import import_module
from time import perf_counter

from msgspec import Struct
from msgspec.structs import replace

from hgrd.engine.inputs import Failure, Inputs, collect
from hgrd.engine.run.guard import Guard, guard
from hgrd.engine.run.news import KernelDecided, KernelName, KernelsNamed, Listener, Progress
from hgrd.engine.run.processes import Ended, Pipe, Running, readable
from hgrd.engine.run.program import check_program
from hgrd.engine.run.settings import Settings
from hgrd.engine.run.slots import Slots
from hgrd.engine.run.stopping import stoppable
from hgrd.engine.since import changed_since
from hgrd.findings.model import KernelReport, Message, Report
from hgrd.findings.roll_up import merged, roll_up
from hgrd.findings.undecided import had_too_little_time, undecided_launch

_TICK = 0.5  # seconds between two reports of progress
_LEAST_SECONDS = 20.0  # that a program gets, however many there are
_BEFORE, _PROGRAM, _KERNEL = 90.0, 10.0, 3.0  # seconds of the default limit: in any case, for each program and kernel


class Checked(Struct, frozen=True):
    """Result of a check; `report` is None where no program could be analysed."""

    report: Report | None
    failures: tuple[Failure, ...]


class Limits(Struct, frozen=True):
    """Limits of a run: `jobs` processes that work at a time, `seconds` for all (None: it depends on the work)."""

    jobs: int
    seconds: float | None = None


def check(paths: Sequence[str], settings: Settings, limits: Limits, listener: Listener) -> Checked:
    """Analyse the programs in `paths`; the listener hears of each verdict at once.

    What is done is reported also where the time is over, or where a signal stops the run: `stopped` says so, what is
    left is named in the failures, and kernels that were found and not decided are `unknown`.
    """
    begin = perf_counter()
    run = _Run(paths, settings, limits, listener, begin)
    try:
        with stoppable():
            inputs = collect(paths, settings.source.include_dirs, settings.selection)
            if settings.since:
                inputs = changed_since(inputs, settings.since, settings.source.include_dirs, settings.build)
        run.begin_with(inputs)
        with guard() as guarding, closing(Slots(limits.jobs)) as slots:
            run.over_programs(guarding, slots)
    except KeyboardInterrupt:
        run.stopped = "interrupted"
    run.name_what_is_left()
    return run.checked()


class _Heard:
    """What is known of one program.

    `postponed` are kernels for which its part of the time was too short, with what is known of them; when all programs
    are done, they are analysed `again` in the time that is left.
    """

    def __init__(self, files: tuple[str, ...]) -> None:
        self.files = files
        self.named: KernelsNamed | None = None
        self.reports: dict[KernelName, KernelReport] = {}
        self.postponed: dict[KernelName, KernelDecided] = {}
        self.again = False
        self.messages: list[Message] = []
        self.ended = False
        self.problem = ""

    @property
    def kernels(self) -> tuple[KernelName, ...]:
        return () if self.named is None else self.named.kernels

    @property
    def left(self) -> tuple[KernelName, ...]:
        """Kernels without a verdict."""
        return tuple(kernel for kernel in self.kernels if kernel not in self.reports)

    def report(self) -> Report | None:
        """What is known so far; None if it is nothing."""
        kernels = tuple(self.reports[kernel] for kernel in self.kernels if kernel in self.reports)
        if self.named is None or not kernels:
            return None
        return Report(self.named.files, kernels, tuple(dict.fromkeys(self.messages)), 0.0)


class _Run:
    """Run of a check: until the inputs are read, the paths stand for the programs that they name."""

    def __init__(
        self, paths: Iterable[str], settings: Settings, limits: Limits, listener: Listener, begin: float
    ) -> None:
        self.settings = settings
        self.limits = limits
        self.listener = listener
        self.begin = begin
        self.programs = [_Heard((path,)) for path in paths]
        self.messages: tuple[Message, ...] = ()
        self.failures: list[Failure] = []
        self.stopped = ""

    def begin_with(self, inputs: Inputs) -> None:
        """Take in the programs, what is said of the inputs, and those that are no programs."""
        self.programs = [_Heard(files) for files in inputs.programs]
        self.messages = inputs.messages
        self.listener.messages(inputs.messages)
        for failure in inputs.failures:
            self._failed(failure)

    def over_programs(self, guarding: Guard, slots: Slots) -> None:
        """Analyse all programs, one process for each, until all are done or the time is over."""
        if len(self.programs) > 1:
            _load()
        if not self._analyse(self.programs, guarding, slots):
            self.stopped = f"the time limit for the whole run was reached ({self._limit_in_words()})"
            return
        again = [heard for heard in self.programs if heard.postponed]
        for heard in again:
            heard.again = True
        if self._end() - perf_counter() > _LEAST_SECONDS:
            self._analyse(again, guarding, slots)

    def _analyse(self, programs: Iterable[_Heard], guarding: Guard, slots: Slots) -> bool:
        """Analyse programs; whether there was time for all of them."""
        waiting = deque(programs)
        working: dict[Running, _Heard] = {}
        while waiting or working:
            while waiting and (slots.take() or not working):
                heard = waiting.popleft()
                work = partial(_work, heard.files, self._settings(heard, len(waiting) + 1), slots, guarding)
                working[Running(work)] = heard
            left = self._end() - perf_counter()
            if left <= 0:
                return False
            with stoppable():
                ready = readable([*working, *([slots] if waiting else [])], min(left, _TICK))
            for process in ready:
                if isinstance(process, Running) and self._hear(working[process], process.receive()):
                    del working[process]
                    slots.put_back()
            self.listener.progress(self._progress())
        return True

    def _settings(self, heard: _Heard, ahead: int) -> Settings:
        """Settings for the next of so many programs: with its fair part of the time."""
        left = self._end() - perf_counter()
        share = max(left * self.limits.jobs / ahead, _LEAST_SECONDS)
        analysis = self.settings.analysis
        limit = min(analysis.program_limit, share, left)
        kernels = tuple(dict.fromkeys(kernel.name for kernel in heard.postponed)) or analysis.kernels
        return replace(self.settings, analysis=replace(analysis, program_limit=limit, kernels=kernels))

    def _end(self) -> float:
        """When the run is to end; by default later, the more kernels have been found."""
        if self.limits.seconds is not None:
            return self.begin + self.limits.seconds
        kernels = sum(len(heard.kernels) for heard in self.programs)
        work = _PROGRAM * len(self.programs) + _KERNEL * kernels
        return self.begin + _BEFORE + max(work / self.limits.jobs, self.settings.analysis.time_limit)

    def _limit_in_words(self) -> str:
        if self.limits.seconds is not None:
            return f"--total-timeout {self.limits.seconds:g}"
        return f"{self._end() - self.begin:.0f} s for what there is to do; --total-timeout sets another one"

    def _hear(self, heard: _Heard, news: object) -> bool:
        """Take in what a process has sent; whether it has ended."""
        match news:
            case KernelsNamed():
                heard.named = heard.named if heard.again else news
                self._messages(heard, news.messages)
            case KernelDecided() if self._may_be_decided_later(heard, news.report):
                heard.postponed[news.name] = news
            case KernelDecided():
                self._decided(heard, news)
            case Failure():
                self._fail(heard, news)
            case Ended(reason=reason):
                heard.ended = True
                if reason:
                    self._fail(heard, Failure(" ".join(heard.files), reason))
                return True
            case other:
                raise TypeError(other)
        return False

    def _may_be_decided_later(self, heard: _Heard, report: KernelReport) -> bool:
        """Whether other programs have taken the time of a kernel: it has not had all that one kernel may have."""
        shared = len(self.programs) > 1 and not heard.again
        return shared and had_too_little_time(report, self.settings.analysis.time_limit)

    def _decided(self, heard: _Heard, news: KernelDecided) -> None:
        """Take in a verdict, unless there is one: a kernel is analysed again with another one of its name."""
        if news.name not in heard.reports:
            self._messages(heard, news.messages)
            heard.reports[news.name] = news.report
            self.listener.kernel(news.report)

    def _messages(self, heard: _Heard, messages: tuple[Message, ...]) -> None:
        new = tuple(message for message in messages if message not in heard.messages)
        heard.messages += new
        self.listener.messages(new)

    def _fail(self, heard: _Heard, failure: Failure) -> None:
        heard.problem = failure.reason
        if not heard.again:
            self._failed(failure)

    def _failed(self, failure: Failure) -> None:
        self.failures.append(failure)
        self.listener.failure(failure)

    def name_what_is_left(self) -> None:
        """Kernels that were found and not decided are `unknown`; programs of which nothing is known are failures."""
        for heard in self.programs:
            for news in heard.postponed.values():
                self._decided(heard, news)
            reason = self.stopped or heard.problem
            for kernel in heard.left:
                (report,) = roll_up([undecided_launch(kernel.name, kernel.span, f"not analysed: {reason}")])
                heard.reports[kernel] = report
                self.listener.kernel(report)
            if self.stopped and not heard.ended and heard.named is None:
                self._failed(Failure(" ".join(heard.files), f"not analysed: {reason}"))

    def checked(self) -> Checked:
        """The result: programs and their kernels in the order in which they were found."""
        defined = [name for heard in self.programs if heard.named is not None for name in heard.named.defined]
        for failure in () if self.stopped else _unknown_kernels(self.settings.analysis.kernels, defined):
            self._failed(failure)
        reports = [report for heard in self.programs if (report := heard.report()) is not None]
        nothing_to_do = not self.programs and not self.failures
        if not reports and not self.stopped and not nothing_to_do:
            return Checked(None, tuple(self.failures))
        whole = merged(reports, perf_counter() - self.begin)
        messages = (*self.messages, *whole.messages)
        return Checked(replace(whole, messages=messages, stopped=self.stopped), tuple(self.failures))

    def _progress(self) -> Progress:
        return Progress(
            programs_done=sum(heard.ended for heard in self.programs),
            programs=len(self.programs),
            kernels_done=sum(len(heard.reports) for heard in self.programs),
            kernels=sum(len(heard.kernels) for heard in self.programs),
            seconds=perf_counter() - self.begin,
        )


def _work(files: tuple[str, ...], settings: Settings, slots: Slots, guarding: Guard, pipe: Pipe) -> None:
    """The life of the process of a program."""
    guarding.enrol()
    check_program(files, settings, slots, pipe.send)


def _load() -> None:
    """Imports modules that every process needs, once: forked processes inherit them."""
    for module in ("hgrd.source.parse", "hgrd.engine.run.kernels", "hgrd.simulate.replay.replayer"):
        import_module(module)


def _unknown_kernels(wanted: Iterable[str], defined: Iterable[str]) -> Iterator[Failure]:
    there = ", ".join(dict.fromkeys(defined)) or "none"
    missing = [name for name in wanted if name not in defined]
    return (Failure(f"--kernel {name}", f"no such kernel (there: {there})") for name in missing)
