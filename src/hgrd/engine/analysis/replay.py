"""Replay of the witnesses of a launch; the simulator is loaded with the first witness."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from hgrd.findings.asked_pair import AskedPair
from hgrd.findings.model import Divergence, Finding
from hgrd.host.memory_image import LaunchImage
from hgrd.races.between.finding import RaceBeside
from hgrd.races.divergence.checker import BarrierVerdicts
from hgrd.races.pairs.verdicts import PairVerdicts
from hgrd.races.results.evidence import BarrierEvidence, Evidence, KernelAtLaunch
from hgrd.symbolic.limits import TimeLimitError, until

if TYPE_CHECKING:  # it loads numpy and the simulator, which a program without findings does without
    from hgrd.simulate.program_run.concrete_run import RunBeside
    from hgrd.simulate.program_run.launch_run import LaunchRun
    from hgrd.simulate.replay.replayer import Replayer


F = TypeVar("F", Finding, Divergence)
E = TypeVar("E")
_CONCRETE: Final = 12.0  # seconds of a concrete run of the program
_RUNS: Final = 10.0  # seconds of runs of the program for a kernel, after which none begins


class Beside(Struct, frozen=True):
    """What a run of the program shows beside a launch: its races there, and those without kernels.

    `apart` are the lines of work, and of uses by the host, none of which ever meet (none if that is not known).
    `distinct`: the launch gets no memory twice, `alone`: each of its threads uses only what no other one stores.
    """

    races: tuple[RaceBeside, ...] = ()
    without_kernel: tuple[RaceBeside, ...] = ()
    apart: frozenset[tuple[str, int]] = frozenset()
    distinct: bool = False
    alone: bool = False


class WitnessReplay(Protocol):
    """Runs of witnesses, as by the simulator's `Replayer`: the same finding with the outcome of its run.

    And runs of the program itself.
    """

    def race(self, at: KernelAtLaunch, finding: Finding, evidence: Evidence, /) -> Finding: ...

    def barrier(self, at: KernelAtLaunch, finding: Divergence, evidence: BarrierEvidence, /) -> Divergence: ...

    def program(self, at: KernelAtLaunch, asked: tuple[AskedPair, ...], /) -> Mapping[AskedPair, Finding]: ...

    def beside(self, at: KernelAtLaunch, /) -> Beside: ...

    def launch(self, at: KernelAtLaunch, image: LaunchImage, asked: tuple[AskedPair, ...], /) -> LaunchRun: ...


class LateReplayer(Struct):
    """The simulator's `Replayer`, loaded with the first witness; no replay begins after `deadline` (perf_counter()).

    The program is run again for further launches of a kernel as long as its runs for that have not taken too long.
    """

    deadline: float
    _spent: dict[str, float] = field(default_factory=dict[str, float])  # seconds of runs, by the keys of kernels
    _loaded: Replayer | None = None
    _beside: RunBeside | None = None

    def race(self, at: KernelAtLaunch, finding: Finding, evidence: Evidence, /) -> Finding:
        return self._replayer().race(at, finding, evidence)

    def barrier(self, at: KernelAtLaunch, finding: Divergence, evidence: BarrierEvidence, /) -> Divergence:
        return self._replayer().barrier(at, finding, evidence)

    def program(self, at: KernelAtLaunch, asked: tuple[AskedPair, ...], /) -> Mapping[AskedPair, Finding]:
        """The pairs that race at a launch when the program is run; none where it cannot be."""
        main = at.tables.functions.get("main")
        begin, kernel = perf_counter(), at.kernel.ref.key
        spent = self._spent.get(kernel, 0.0)
        if main is None or main.body is None or at.launch is None or begin > self.deadline or spent > _RUNS:
            return {}
        # not at the top: it loads numpy and the simulator
        from hgrd.simulate.program_run.concrete_run import races_in_concrete_run
        from hgrd.simulate.program_run.program_run import races_in_program

        try:
            found, unknown_code = races_in_program(at.tables, main, at.launch, asked)
            left = tuple(pair for pair in asked if pair not in found)
            if not (unknown_code and left):
                return found
            return found | races_in_concrete_run(at.tables, main, at.launch, left, begin + _CONCRETE)
        finally:
            self._spent[kernel] = spent + perf_counter() - begin

    def beside(self, at: KernelAtLaunch, /) -> Beside:
        """What the program shows of other work, and the host, beside a launch, when it is run."""
        main = at.tables.functions.get("main")
        begin = perf_counter()
        if main is None or main.body is None or at.launch is None or begin > self.deadline:
            return Beside()
        # not at the top: it loads numpy and the simulator
        from hgrd.simulate.program_run.beside_launches import races_of_launch, races_without_kernel
        from hgrd.simulate.program_run.concrete_run import run_beside_launches

        if self._beside is None:
            self._beside = run_beside_launches(at.tables, main, begin + _CONCRETE)
        races, apart = self._beside.races, self._beside.apart
        place, without_kernel = (at.launch.span, at.launch.kernel.key), tuple(races_without_kernel(races))
        distinct, alone = place not in self._beside.alike, place not in self._beside.mixed
        return Beside(tuple(races_of_launch(at.launch, races)), without_kernel, apart, distinct, alone)

    def launch(self, at: KernelAtLaunch, image: LaunchImage, asked: tuple[AskedPair, ...], /) -> LaunchRun:
        """What a run of the launch shows, on the memory that it finds."""
        # not at the top: it loads numpy and the simulator
        from hgrd.simulate.program_run.launch_run import LaunchRun, run_launch

        return run_launch(at.tables, at.kernel, image, asked) if perf_counter() < self.deadline else LaunchRun()

    def _replayer(self) -> Replayer:
        if self._loaded is None:
            # not at the top: it loads numpy and the simulator
            from hgrd.simulate.replay.replayer import Replayer

            self._loaded = Replayer(deadline=self.deadline)
        return self._loaded


def replay_pairs(replayer: WitnessReplay, at: KernelAtLaunch, verdicts: PairVerdicts, deadline: float) -> PairVerdicts:
    """Verdicts with each race replayed until `deadline`, a value of perf_counter()."""
    witnesses = zip(verdicts.findings, verdicts.evidence, strict=True)
    runs = (_in_time(partial(replayer.race, at), f, e, deadline) for f, e in witnesses)
    return replace(verdicts, findings=tuple(runs))


def replay_barriers(
    replayer: WitnessReplay, at: KernelAtLaunch, verdicts: BarrierVerdicts, deadline: float
) -> BarrierVerdicts:
    """Verdicts with each finding about a barrier replayed until `deadline`, a value of perf_counter()."""
    witnesses = zip(verdicts.divergences, verdicts.evidence, strict=True)
    runs = (_in_time(partial(replayer.barrier, at), d, e, deadline) for d, e in witnesses)
    return replace(verdicts, divergences=tuple(runs))


def _in_time(replay: Callable[[F, E], F], finding: F, evidence: E, deadline: float) -> F:
    """The finding with the outcome of its run, if that ends before the deadline."""
    try:
        with until(deadline):
            return replay(finding, evidence)
    except TimeLimitError:
        return replace(finding, replay="not replayed: the time for the replays of this launch is over")
