"""Witness replay: the model of a query becomes a launch, is run, and its two threads are watched.

A race is *confirmed* if, in the run, exactly the two threads of the witness perform the two source accesses
on common bytes, at the level of the query, and nothing orders them (`access_model`).  A finding about a barrier is
confirmed if the first thread reaches an instance of the barrier that the second one does not reach, because it
waits elsewhere for ever, or has ended (`barrier_watch`), or if the masks of a warp barrier are seen to be wrong.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from math import inf
from time import perf_counter
from typing import TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from hgrd.findings.model import CONFIRMED, BarrierWitness, Confidence, Divergence, Finding, Witness
from hgrd.races.results.evidence import BarrierEvidence, Evidence, KernelAtLaunch
from hgrd.races.results.witness import barrier_witness, witness_of
from hgrd.simulate.detectors.access_model import AccessModel
from hgrd.simulate.detectors.moments import LaunchShape
from hgrd.simulate.execute import Executable, execute, prepare
from hgrd.simulate.launch import Finished, NotSupported, OutOfBounds, OutOfFuel, RunOutcome, StuckAtBarrier, Trapped
from hgrd.simulate.lockstep.instructions import UnsupportedError
from hgrd.simulate.replay.attempts import Attempt, TwoThreads, attempts
from hgrd.simulate.replay.barrier_watch import LateError, SeenError, WitnessWatch
from hgrd.simulate.replay.bounded_runs import FIRST_LOOK, BoundedWatch, Work
from hgrd.simulate.replay.model_values import ValuationError
from hgrd.simulate.replay.reachable_iteration import exited_loop, with_reachable_iteration
from hgrd.simulate.replay.shrink import smaller
from hgrd.simulate.replay.site_keys import site_key, trace_key
from hgrd.simulate.trace import Silent
from hgrd.symbolic.limits import TimeLimitError

_log = logging.getLogger(__name__)
_EACH = 1 << 26
_ALTOGETHER = 5 * _EACH
_TOO_LONG = "the run takes too long"
F = TypeVar("F", Finding, Divergence)
E = TypeVar("E", Evidence, BarrierEvidence)


class Replayer(Struct):
    """Replays findings, each within `each` and all within `altogether`; kernels are prepared once.

    Both count work as the executor counts fuel (some 2**25 a second), so that what is confirmed does not depend on the
    machine.  No replay begins after `deadline`, a value of perf_counter().
    """

    each: int = _EACH
    altogether: int = _ALTOGETHER
    deadline: float = inf
    _spent: int = 0
    _ready: dict[str, Executable] = field(default_factory=dict[str, Executable])
    _long: set[str] = field(default_factory=set[str])  # kernels of which a run has taken too long

    def race(self, situation: KernelAtLaunch, finding: Finding, evidence: Evidence) -> Finding:
        """The race with `replay` set, and confirmed if the run shows it and it was definite.

        If the run of the witness takes too long, that of a smaller one may not: the finding then shows the smaller one.
        For a kernel where this has happened before, the smaller one comes first.  If a loop ends before the iteration
        of the witness, a witness in an iteration that is reached is tried.
        """
        replayed = self._replayed(situation, finding, evidence, _race, _race_retold)
        if replayed.replay == CONFIRMED or self._over():
            return replayed
        left = exited_loop(evidence)
        earlier = None if left is None else with_reachable_iteration(evidence, situation.decide)
        if earlier is not None:
            again = self._replayed(situation, _race_retold(finding, earlier), earlier, _race, _race_retold)
            if again.replay == CONFIRMED:
                return again
        if left is None:
            return replayed
        reason = f"the loop in line {left.loop.span.line} ends before iteration {left.last + 1}"
        return replace(replayed, replay=f"not replayed: {reason}")

    def barrier(self, situation: KernelAtLaunch, finding: Divergence, evidence: BarrierEvidence) -> Divergence:
        """The finding about a barrier with `replay` set, and confirmed if the run shows it and it was definite."""
        return self._replayed(situation, finding, evidence, _apart, _barrier_retold)

    def _over(self) -> bool:
        return self._spent > self.altogether or perf_counter() > self.deadline

    def _replayed(
        self,
        situation: KernelAtLaunch,
        finding: F,
        evidence: E,
        run: Callable[[Attempt, F, E, Work], str],
        retold: Callable[[F, E], F],
    ) -> F:
        if self._over():
            return replace(finding, replay="not replayed: the time for the replays of this program is over")
        begin = perf_counter()
        work = Work(self.each // 2)
        kernel = situation.kernel.ref.key
        said = ""
        if kernel not in self._long:
            said = self._said(situation, finding, evidence, run, work)
        work.limit = self.each
        if said in ("", _TOO_LONG):
            self._long.add(kernel)
            lesser = smaller(evidence, situation.decide)
            if lesser is not None:
                shown = retold(finding, lesser)
                if self._said(situation, shown, lesser, run, work) == CONFIRMED:
                    finding, said = shown, CONFIRMED
        said = said or self._said(situation, finding, evidence, run, work)
        seconds = perf_counter() - begin
        self._spent += work.done
        finding = replace(finding, replay_seconds=seconds)
        if said != CONFIRMED:
            return replace(finding, replay=f"not replayed: {said}")
        definite = finding.confidence is Confidence.DEFINITE
        return replace(finding, replay=said, confidence=Confidence.CONFIRMED if definite else finding.confidence)

    def _said(
        self,
        situation: KernelAtLaunch,
        finding: F,
        evidence: E,
        run: Callable[[Attempt, F, E, Work], str],
        work: Work,
    ) -> str:
        """CONFIRMED, or why the first attempt has failed."""
        said = ""
        try:
            ready, waiting = self._executable(situation), isinstance(finding, Finding) and bool(finding.awaits)
            for attempt in attempts(situation, ready, _threads(finding), evidence, waiting=waiting):
                result = run(attempt, finding, evidence, work)
                if result == CONFIRMED:
                    return CONFIRMED
                said = said or result
                if work.left <= 0:
                    break
        except ValuationError as error:
            return str(error)
        except UnsupportedError as error:
            return f"line {error.span.line}: {error.reason}"
        except MemoryError:
            return "the run takes too much memory"
        except TimeLimitError:
            raise
        except Exception as error:  # the finding stands without its replay
            _log.info("replay at %s", evidence.protocol.span, exc_info=True)
            return f"internal error: {type(error).__name__}: {error}"
        return said

    def _executable(self, situation: KernelAtLaunch) -> Executable:
        key = situation.kernel.ref.key
        if key not in self._ready:
            self._ready[key] = prepare(situation.tables, situation.kernel)
        return self._ready[key]


def _threads(finding: Finding | Divergence) -> TwoThreads:
    match finding.witness:
        case Witness(first=first, second=second):
            return first, second
        case BarrierWitness(first=first, second=second):
            return first, second or first


def _race_retold(finding: Finding, lesser: Evidence) -> Finding:
    encoded = lesser.encoded
    return replace(finding, witness=witness_of(encoded, encoded.first, encoded.second, lesser.model))


def _barrier_retold(finding: Divergence, lesser: BarrierEvidence) -> Divergence:
    return replace(finding, witness=barrier_witness(lesser.encoded, lesser.binders, lesser.model, alone=lesser.alone))


# ---------------------------------------------------------------- running


def _race(attempt: Attempt, finding: Finding, evidence: Evidence, work: Work) -> str:
    launch = attempt.launch
    model = AccessModel(LaunchShape(launch.block_threads, launch.blocks), attempt.threads)
    sites = attempt.executable.sites.sites
    wanted = {site_key(finding.first), site_key(finding.second)}

    def seen() -> bool:
        return any(
            {trace_key(sites[race.first]), trace_key(sites[race.second])} == wanted
            and race.space is finding.space
            and evidence.level in race.levels
            for race in model.races()
        )

    watch, fuel = BoundedWatch(model, work, seen, work.done + FIRST_LOOK), max(0, work.left)
    try:
        outcome = execute(attempt.executable, launch, attempt.memory, watch, fuel, together=True, ahead=attempt.ahead)
        work.count(outcome, fuel)
    except SeenError:
        return CONFIRMED
    except LateError:
        outcome = None
    if seen():
        return CONFIRMED
    if not isinstance(outcome, Finished):
        return _ended(outcome)
    return _missed(finding, {(thread, trace_key(sites[n])) for thread, n in model.made()}, attempt.threads)


def _apart(attempt: Attempt, finding: Divergence, evidence: BarrierEvidence, work: Work) -> str:
    watch = WitnessWatch(finding, attempt.threads)
    observer, fuel = BoundedWatch(Silent(), work, lambda: False, work.done + FIRST_LOOK), max(0, work.left)
    run, launch, memory = attempt.executable, attempt.launch, attempt.memory
    try:
        outcome = execute(run, launch, memory, observer, fuel, together=True, ahead=attempt.ahead, watch=watch)
        work.count(outcome, fuel)
        if not isinstance(outcome, Finished):
            return _ended(outcome)
        watch.ended()
    except SeenError:
        return CONFIRMED
    except LateError:
        return _TOO_LONG
    return watch.failed()


def _ended(outcome: RunOutcome | None) -> str:
    match outcome:
        case None | OutOfFuel():
            return _TOO_LONG
        case StuckAtBarrier(span=span):
            return f"threads wait for others at the barrier in line {span.line}"
        case OutOfBounds(span=span, reason=reason):
            return f"line {span.line} accesses {reason}"
        case Trapped(span=span, reason=reason) | NotSupported(span=span, reason=reason):
            return f"line {span.line}: {reason}"
        case Finished():
            return ""


def _missed(finding: Finding, made: set[tuple[int, tuple[object, ...]]], threads: tuple[int, int]) -> str:
    for site, thread in zip((finding.first, finding.second), threads, strict=True):
        if (thread, site_key(site)) not in made:
            return f"the {site.kind.value} in line {site.span.line} was not made"
    return "the two accesses did not meet"
