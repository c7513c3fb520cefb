"""Program runs: `main` is executed, and a launch in it is watched for races between given sites.

Contents of memory are those that the program itself makes, so a race that the run shows needs no others.  Where the
launch reads memory that nothing has given contents, or the program has drawn numbers, it needs what the run has there.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from msgspec import Struct, field
from msgspec.structs import replace

from hgrd.cuda.memory_model import Level
from hgrd.findings.asked_pair import AskedPair
from hgrd.findings.model import CONFIRMED, Confidence, Finding, ThreadWitness, Witness
from hgrd.host.model import LaunchSite
from hgrd.program.linked import Tables
from hgrd.program.program import Function
from hgrd.simulate.detectors.access_model import AccessModel, Example, Race
from hgrd.simulate.detectors.moments import LaunchShape
from hgrd.simulate.execute import Executable, execute, prepare
from hgrd.simulate.launch import ConcreteLaunch, Extent3, Finished, NotSupported
from hgrd.simulate.lockstep.instructions import UnsupportedError
from hgrd.simulate.program_run.host_calls import HostCalls
from hgrd.simulate.program_run.host_execution import HostExecution, Start
from hgrd.simulate.program_run.host_memory import FirstContents, HostMemory
from hgrd.simulate.replay.barrier_watch import LateError, SeenError
from hgrd.simulate.replay.bounded_runs import FIRST_LOOK, BoundedWatch, Work
from hgrd.simulate.replay.site_keys import SiteKey, site_key, trace_key
from hgrd.simulate.trace import Arrive, Fenced, MemoryOrder, Sites, Touch
from hgrd.symbolic.limits import TimeLimitError

_HOST_FUEL = 1 << 26
_WORK = 1 << 27  # of all kernels
_FENCE = 1 << 7  # the work of a fence, for each of its threads and each block
_FIRST_BLOCKS = (2, 1 << 25), (8, 1 << 26)  # how many run alone, and the work that they may do
_MOST_SAVED = 1 << 27  # bytes of memory that are kept for the run of all blocks
_MOST_WATCHED = 4  # times that the launch is watched, where the program makes it again and again
METHOD = "run of the program"


def races_in_program(
    tables: Tables, main: Function, launch: LaunchSite, asked: tuple[AskedPair, ...]
) -> tuple[dict[AskedPair, Finding], bool]:
    """The pairs of accesses of a kernel that race at a launch when the program runs, without arguments.

    Where the run does not come to its end, they are those that it has shown by then; then it is also said whether it
    came to host code that it does not know.
    """
    run = ProgramRun(tables, launch, asked, HostCalls(HostMemory()))
    with suppress(SeenError, LateError, MemoryError, TimeLimitError):
        try:
            outcome = HostExecution(tables, run.calls, run.start).run(main, _HOST_FUEL)
        except UnsupportedError:
            return run.found, True
        return run.found, isinstance(outcome, NotSupported)
    return run.found, False


class ProgramRun(Struct):
    """The kernels of a program that runs; `found` are the races of the launch that is watched."""

    tables: Tables
    watched: LaunchSite
    asked: tuple[AskedPair, ...]
    calls: HostCalls
    work: Work = field(default_factory=lambda: Work(_WORK))
    found: dict[AskedPair, Finding] = field(default_factory=dict[AskedPair, Finding])
    times: int = 0
    _kernels: dict[str, Executable] = field(default_factory=dict[str, Executable])

    def start(self, start: Start) -> None:
        """Runs a kernel.  Raises SeenError when all that was asked is found, LateError when all work is used up."""
        kernel = self._kernels.get(start.kernel)
        if kernel is None:
            kernel = self._kernels[start.kernel] = prepare(self.tables, self.tables.functions[start.kernel])
        at = self.watched
        if (start.kernel, start.span, start.stack) == (at.kernel.key, at.span, at.stack):
            self._watch(kernel, start.launch)
            return
        fuel = max(0, self.work.left)
        outcome = execute(kernel, start.launch, self.calls.memory.memory, fuel=fuel)
        self.work.count(outcome, fuel)
        self._ended(isinstance(outcome, Finished))

    def _watch(self, kernel: Executable, launch: ConcreteLaunch) -> None:
        """Runs the launch under watch: at first its first blocks alone, as if the others had not begun yet."""
        memory = self.calls.memory
        for blocks, work in _FIRST_BLOCKS:
            if launch.grid_blocks > blocks and memory.size() <= _MOST_SAVED:
                before = memory.saved()
                with suppress(LateError):
                    self._observe(kernel, replace(launch, chosen=tuple(range(blocks))), Work(work))
                memory.restore(before)
        finished = self._observe(kernel, launch, self.work)
        self.times += 1
        if self.times == _MOST_WATCHED:
            raise SeenError
        self._ended(finished)

    def _observe(self, kernel: Executable, launch: ConcreteLaunch, work: Work) -> bool:
        """Whether the run comes to its end; raises SeenError when all that was asked is found."""
        model = AccessModel(LaunchShape(launch.block_threads, launch.blocks))
        sites = {site_key(s): None for pair in self.asked for s in (pair.first, pair.second)}
        contents = self.calls.memory.first_contents()
        asked = _AskedSites(model, work, launch.blocks, kernel.sites, frozenset(sites), contents)

        def seen() -> bool:
            self._collect(model, kernel, launch, supposed=contents.missed or self.calls.drawn)
            return len(self.found) == len(self.asked) and not any(f.same_value for f in self.found.values())

        watch, fuel = BoundedWatch(asked, work, seen, work.done + FIRST_LOOK), max(0, work.left)
        try:
            outcome = execute(kernel, launch, self.calls.memory.memory, watch, fuel)
        finally:
            all_seen = seen()
        work.count(outcome, fuel)
        if all_seen:
            raise SeenError
        return isinstance(outcome, Finished)

    def _ended(self, finished: bool) -> None:
        self.calls.memory.settle()
        if not finished or self.work.left <= 0:
            raise LateError

    def _collect(self, model: AccessModel, kernel: Executable, launch: ConcreteLaunch, *, supposed: bool) -> None:
        collect(self.found, self.asked, model.races(), kernel, launch, supposed=supposed)


def collect(
    found: dict[AskedPair, Finding],
    asked: tuple[AskedPair, ...],
    races: Iterable[Race],
    kernel: Executable,
    launch: ConcreteLaunch,
    *,
    supposed: bool,
) -> None:
    """Adds the pairs that race in a run; `supposed`: that depends on contents that nobody has given."""
    sites = kernel.sites.sites
    for race in races:
        ends = (trace_key(sites[race.first]), trace_key(sites[race.second]))
        for pair in asked:
            there = (site_key(pair.first), site_key(pair.second))
            levels = tuple(level for level in race.levels if level in pair.levels)
            known = found.get(pair)
            better = known is None or (known.same_value and not race.same_value)
            if better and race.space is pair.space and levels and ends in (there, there[::-1]):
                found[pair] = _finding(pair, race, levels, launch, turned=ends != there, supposed=supposed)


class _AskedSites(Struct):
    """An observer that passes on the accesses of some sites, and all that may order them.

    Raises LateError where fences have used up the work: what others have released grows with the number of blocks.
    """

    model: AccessModel
    work: Work
    blocks: int
    sites: Sites
    wanted: frozenset[SiteKey]
    contents: FirstContents

    def touch(self, event: Touch, /) -> None:
        self.contents.touch(event)
        if event.order is not MemoryOrder.PLAIN or trace_key(self.sites.sites[event.site]) in self.wanted:
            self.model.touch(event)

    def arrive(self, event: Arrive, /) -> None:
        self.model.arrive(event)

    def fenced(self, event: Fenced, /) -> None:
        self.work.done += _FENCE * self.blocks * len(event.threads)
        if self.work.left < 0:
            raise LateError
        self.model.fenced(event)


def _finding(
    pair: AskedPair, race: Race, levels: tuple[Level, ...], launch: ConcreteLaunch, *, turned: bool, supposed: bool
) -> Finding:
    example = next(e for e in race.examples if e.level in levels)
    first, second = example.first_thread, example.second_thread
    if turned:
        first, second = second, first
    witness = Witness(
        launch.block, launch.grid, (), (), _thread(first, launch, example), _thread(second, launch, example)
    )
    return Finding(
        pair.first,
        pair.second,
        pair.space,
        levels,
        Confidence.DATA_DEPENDENT if supposed else Confidence.CONFIRMED,
        witness,
        (),
        same_value=race.same_value,
        method=METHOD,
        replay=CONFIRMED,
    )


def _thread(number: int, launch: ConcreteLaunch, example: Example) -> ThreadWitness:
    block, thread = divmod(number, launch.block_threads)
    indexes = index_in(thread, launch.block), index_in(block, launch.grid)
    return ThreadWitness(*indexes, (), example.offset, example.size)


def index_in(number: int, extents: Extent3) -> Extent3:
    """The index of a thread, or a block, from its linear number."""
    rest, x = divmod(number, extents[0])
    z, y = divmod(rest, extents[1])
    return x, y, z
