"""Kernels of a concrete run of host code: they run on what they find in memory, and leave there what they store.

    std::vector<int> next = expand(frontier);         // the host code of any library that the concrete run knows
    step<<<grid, block>>>(d_next, …);                 // finds what the host and earlier kernels have left there

What a kernel makes of contents that nobody has given is not known afterwards.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import takewhile
from math import prod
from random import Random
from time import perf_counter
from typing import Final

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from hgrd.cuda.memory_model import AccessKind, Space
from hgrd.findings.asked_pair import AskedPair
from hgrd.findings.model import Finding
from hgrd.host.concrete.images import launch_image
from hgrd.host.concrete.state.machine import Launched, Machine, Place
from hgrd.host.concrete.state.queue import Work
from hgrd.host.memory_image import LaunchImage
from hgrd.program.expressions import FunctionRef
from hgrd.program.linked import Tables
from hgrd.simulate.detectors.access_model import AccessModel
from hgrd.simulate.detectors.moments import LaunchShape
from hgrd.simulate.execute import Executable, execute, prepare
from hgrd.simulate.launch import ConcreteLaunch, Finished, RunOutcome
from hgrd.simulate.lockstep.instructions import UnsupportedError
from hgrd.simulate.lockstep.memory import SHIFT
from hgrd.simulate.program_run.determined import floats_decide, is_determined
from hgrd.simulate.program_run.kernel_reach import KernelReach, are_distinct, reach_of
from hgrd.simulate.program_run.launch_memory import KnownData, LaunchMemory, launch_memory
from hgrd.simulate.program_run.launch_run import Watched
from hgrd.simulate.program_run.left_in_memory import take_over
from hgrd.simulate.program_run.program_run import collect
from hgrd.simulate.replay.barrier_watch import LateError, SeenError
from hgrd.simulate.trace import Arrive, Fenced, Sites, Touch

_WORK, _WORK_WATCHED = 1 << 28, 1 << 29  # of one kernel
_MOST_THREADS: Final = 1 << 20  # of larger launches some blocks run
_SAMPLE: Final = 16  # blocks at either end, and in the middle
_FIRST: Final = 12  # blocks of a watched launch that run before all others
_TOUCH, _TOUCH_OF_THREAD = 1 << 12, 1 << 4  # the work for an access, and for each of its threads
_MOST_KEPT: Final = 1 << 24  # accesses of threads that are kept, of all kernels
_MOST_WATCHED: Final = 4  # times that the launch is watched, where the program makes it again and again


class KernelUses(Struct, frozen=True):
    """What a kernel has used of memory, whatever contents it finds there that nobody has given.

    That is its accesses, with the numbers of objects, by their identity.  `exact`: it makes these in every run, and no
    others.  `distinct`: each pointer that it gets leads to another object, and none of these holds pointers.
    """

    exact: bool
    distinct: bool
    touches: Sequence[Touch]
    numbers: Mapping[int, int]
    launch: ConcreteLaunch
    sites: Sites


class WatchedLaunch(Struct):
    """A launch that is watched for races between given sites, by its place; `found` are those so far."""

    place: Place
    asked: tuple[AskedPair, ...]
    found: dict[AskedPair, Finding] = field(default_factory=dict[AskedPair, Finding])
    times: int = 0

    @property
    def all_found(self) -> bool:
        return len(self.found) == len(self.asked) and not any(f.same_value for f in self.found.values())


class KernelRuns(Struct):
    """Whoever runs the kernels of a concrete run, for some seconds; then it is not known what they do.

    `uses` are those of kernels, by the numbers of pieces of work, `reach` is what these may use at all (None: unknown).
    """

    tables: Tables
    seconds: float
    watched: WatchedLaunch | None = None
    kept: int = 0
    uses: dict[int, KernelUses] = field(default_factory=dict[int, KernelUses])
    reach: dict[int, KernelReach | None] = field(default_factory=dict[int, "KernelReach | None"])
    _kernels: dict[str, Executable] = field(default_factory=dict[str, Executable])
    _sure: dict[str, bool] = field(default_factory=dict[str, bool])

    def gets_distinct(self, number: int) -> bool:
        """Whether each pointer that a kernel gets, by the number of its work, leads to another object."""
        found = self.uses.get(number) or self.reach.get(number)
        return found is not None and found.distinct

    def run(self, machine: Machine, kernel: FunctionRef, launched: Launched, work: Work, /) -> bool:
        """Runs a kernel; False: what it leaves in memory is not known.

        Raises SeenError when all that was asked of the watched launch is found.
        """
        if self.watched is None:
            self.reach[work.number] = reach_of(machine, kernel, launched)
        if self.seconds <= 0:
            return False
        begin = perf_counter()
        try:
            return self._run(machine, kernel, launched, work)
        finally:
            self.seconds -= perf_counter() - begin

    def _run(self, machine: Machine, kernel: FunctionRef, launched: Launched, work: Work) -> bool:
        declared = self.tables.functions.get(kernel.key)
        image = None if declared is None else launch_image(launched, declared.parameters, machine.records, always=True)
        if declared is None or image is None:
            return False
        try:
            if prod(image.grid) > _FIRST and self._is_watched(machine, kernel, work):
                self._watch_some(machine, kernel, work, image)
            run = self._made(machine, kernel, work, image)
            outcome = _execute(run)
        except (UnsupportedError, MemoryError):
            return False
        data, touches = run.found.data, run.observer.touches
        supposed = self._is_supposed(run)
        exact = isinstance(outcome, Finished) and not supposed and self._is_exact(run)
        self._keep(work, launched, run, self._whatever_it_finds(run, image) if supposed else touches, exact=exact)
        self._collect(run, supposed=supposed)
        self._count(run)
        if not isinstance(outcome, Finished) or run.launch.chosen is not None:
            return False
        sure = (not supposed, not (supposed or data.guessed_floats))
        take_over(machine, launched.originals, run.found, run.observer.stores, work.span, sure)
        return True

    def _watch_some(self, machine: Machine, kernel: FunctionRef, work: Work, image: LaunchImage) -> None:
        """Runs the first blocks of a large launch that is watched, before the others: races among them show soon."""
        run = self._made(machine, kernel, work, image, some=True)
        _execute(run)
        self._collect(run, supposed=self._is_supposed(run))

    def _is_watched(self, machine: Machine, kernel: FunctionRef, work: Work) -> bool:
        calls = tuple(f.call_site for f in machine.frames if f.call_site is not None)
        return self.watched is not None and self.watched.place == (calls, work.span, kernel.key)

    def _is_supposed(self, run: _Run) -> bool:
        """Whether what a run does depends on contents that nobody has given."""
        data = run.found.data
        return data.guessed or (data.guessed_floats and floats_decide(self.tables, run.executable))

    def _made(
        self, machine: Machine, kernel: FunctionRef, work: Work, image: LaunchImage, *, some: bool = False
    ) -> _Run:
        """A kernel made ready to run; `some`: of a large launch the first blocks."""
        if kernel.key not in self._kernels:
            self._kernels[kernel.key] = prepare(self.tables, self.tables.functions[kernel.key])
        executable = self._kernels[kernel.key]
        found = launch_memory(executable.function, image)
        launch = ConcreteLaunch(image.grid, image.block, found.arguments, image.shared_bytes)
        if not self._is_watched(machine, kernel, work):
            launch = replace(launch, chosen=_sample(launch))
            return _Run(executable, launch, found, _Observer(found.data))
        if some:
            launch = replace(launch, chosen=tuple(range(_FIRST)))
        model = AccessModel(LaunchShape(launch.block_threads, launch.blocks))
        watched = Watched(model, found.data, _WORK_WATCHED)
        return _Run(executable, launch, found, _Observer(found.data, watched, _WORK_WATCHED))

    def _whatever_it_finds(self, run: _Run, image: LaunchImage) -> Sequence[Touch]:
        """The accesses that a kernel also makes where memory without contents holds something else."""
        if self.watched is not None:
            return ()
        found = launch_memory(run.executable.function, image, guesses=Random(1))
        other = _Run(run.executable, run.launch, found, _Observer(found.data))
        _execute(other)
        pairs = zip(run.observer.touches, other.observer.touches, strict=False)
        return [touch for touch, _ in takewhile(lambda both: _are_same(*both), pairs)]

    def _is_exact(self, run: _Run) -> bool:
        """Whether a run that has come to its end stands for all runs of the kernel on what it finds."""
        executable, vague = run.executable, run.found.data.vague
        sure = self._sure.get(executable.function.ref.key)
        if sure is None:
            sure = is_determined(self.tables, executable) and not floats_decide(self.tables, executable)
            self._sure[executable.function.ref.key] = sure
        return sure and not vague and run.launch.chosen is None

    def _keep(self, work: Work, launched: Launched, run: _Run, touches: Sequence[Touch], *, exact: bool) -> None:
        self.kept += sum(len(t.threads) for t in touches)
        if self.kept <= _MOST_KEPT and self.watched is None:
            numbers = {id(o): a >> SHIFT for o, a in zip(launched.originals, run.found.addresses, strict=True)}
            known = exact and {t.memory for t in touches} <= set(numbers.values())
            uses = KernelUses(known, are_distinct(launched), touches, numbers, run.launch, run.executable.sites)
            self.uses[work.number] = uses

    def _collect(self, run: _Run, *, supposed: bool) -> None:
        if run.observer.watched is None or self.watched is None:
            return
        races = run.observer.watched.model.races()
        collect(self.watched.found, self.watched.asked, races, run.executable, run.launch, supposed=supposed)
        if self.watched.all_found:
            raise SeenError

    def _count(self, run: _Run) -> None:
        """Counts how often the watched launch has been run; raises SeenError when that was often enough."""
        if run.observer.watched is not None and self.watched is not None:
            self.watched.times += 1
            if self.watched.times == _MOST_WATCHED:
                raise SeenError


class _Run(Struct, frozen=True):
    """One run of a kernel."""

    executable: Executable
    launch: ConcreteLaunch
    found: LaunchMemory
    observer: _Observer


def _execute(run: _Run) -> RunOutcome | None:
    """How a run ends; None where its work is used up before."""
    try:
        return execute(run.executable, run.launch, run.found.memory, run.observer, run.observer.work)
    except LateError:
        return None


def _sample(launch: ConcreteLaunch) -> tuple[int, ...] | None:
    """Some blocks of a large launch; None: all run."""
    blocks = launch.grid_blocks
    if blocks * launch.block_threads <= _MOST_THREADS or blocks <= 3 * _SAMPLE:
        return None
    middle = blocks // 2
    return (*range(_SAMPLE), *range(middle, middle + _SAMPLE), *range(blocks - _SAMPLE, blocks))


def _are_same(one: Touch, other: Touch) -> bool:
    same = (one.site, one.memory, one.size) == (other.site, other.memory, other.size)
    return same and np.array_equal(one.threads, other.threads) and np.array_equal(one.offsets, other.offsets)


class _Observer(Struct):
    """An observer that keeps the accesses to global memory, and raises LateError when its `work` is used up.

    `stores` are those that store, by the number of the object.
    """

    data: KnownData
    watched: Watched | None = None
    work: int = _WORK
    touches: list[Touch] = field(default_factory=list[Touch])
    stores: dict[int, list[Touch]] = field(default_factory=lambda: defaultdict[int, list[Touch]](list))

    def touch(self, event: Touch, /) -> None:
        self.work -= _TOUCH + _TOUCH_OF_THREAD * len(event.threads)
        if self.work < 0:
            raise LateError
        if self.watched is None:
            self.data.touch(event)
        else:
            self.watched.touch(event)
        if event.space is Space.GLOBAL:
            self.touches.append(event)
            if event.kind is not AccessKind.READ:
                self.stores[event.memory].append(event)

    def arrive(self, event: Arrive, /) -> None:
        if self.watched is not None:
            self.watched.arrive(event)

    def fenced(self, event: Fenced, /) -> None:
        if self.watched is not None:
            self.watched.fenced(event)
