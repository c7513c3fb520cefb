"""Analysis of one kernel at one launch: infer, check barriers, check pairs, replay, require replay."""

from __future__ import annotations

import logging
from collections.abc import Set
from time import perf_counter

from msgspec import Struct
from msgspec.structs import replace

from hgrd.engine.analysis.beside_run import with_run_beside
from hgrd.engine.analysis.compile_gaps import broken
from hgrd.engine.analysis.launch_protocol import LaunchProtocol, infer_at_launch
from hgrd.engine.analysis.program_run import with_launch_run, with_program_run
from hgrd.engine.analysis.replay import WitnessReplay, replay_barriers, replay_pairs
from hgrd.findings.model import Divergence, LaunchReport, Message, OpenPair, Outcome
from hgrd.findings.options import AnalysisOptions
from hgrd.findings.undecided import undecided_launch
from hgrd.host.model import Fact, HostNote, LaunchSite
from hgrd.program.program import Function, Program
from hgrd.protocol.model import Protocol
from hgrd.races.between.at_once import races_at_once
from hgrd.races.between.footprints import Footprints
from hgrd.races.between.meetings import Meeting, meetings
from hgrd.races.divergence.checker import BarrierVerdicts, check_barriers
from hgrd.races.divergence.spin_livelock import livelocks
from hgrd.races.pairs.checker import check_pairs
from hgrd.races.pairs.replay_required import require_replay, require_replay_of_barriers
from hgrd.races.pairs.untold_tests import at_unseen_calls, at_unseen_launches, behind_untold_tests
from hgrd.races.pairs.verdicts import PairVerdicts
from hgrd.races.results.evidence import KernelAtLaunch
from hgrd.symbolic.limits import TimeLimitError, until
from hgrd.terms import show

_log = logging.getLogger(__name__)
_TOO_DEEP = "its values are nested too deeply for the analysis"
_GRACE_SHARE = 0.5  # this part of a kernel's time it may take longer, before the analysis is stopped without a result
_REPLAY_SECONDS = 15.0  # for the replays of a launch, at least
_MEETING_SHARE = 4  # of a kernel's time, to follow it and others beside it for any arguments
_BARRIER_SHARE = 4  # barriers come first, and may take 1 / _BARRIER_SHARE of a kernel's time


class LaunchContext(Struct, frozen=True):
    """Context of a launch besides its own facts.

    `assumed` holds of its kernel; `hosted`: host code was seen that launches kernels.  `conditions` are the
    preconditions that races of the kernel have at the launches analysed before.  `cut` says why there may be launches
    of it that were not seen.
    """

    programs: tuple[Program, ...]
    assumed: tuple[Fact, ...]
    hosted: bool
    conditions: Set[str]
    cut: HostNote | None = None


class LaunchResult(Struct, frozen=True):
    """Report of a launch, and messages about the user's options at it."""

    report: LaunchReport
    messages: tuple[Message, ...] = ()


def analyze_launch(
    at: KernelAtLaunch, options: AnalysisOptions, context: LaunchContext, replayer: WitnessReplay | None
) -> LaunchResult:
    """Races and barrier findings of a launch; never raises.  `replayer` None: no witness is run."""
    begin = perf_counter()
    try:
        inferred, protocol, barriers, pairs, spinning = _checked(at, options, context)
        met = _meetings(at, perf_counter() + options.time_limit / _MEETING_SHARE)
        if replayer is not None:
            end = perf_counter() + max(options.time_limit, _REPLAY_SECONDS)
            pairs = require_replay(replay_pairs(replayer, at, pairs, end), strict=options.strict)
            barriers = require_replay_of_barriers(replay_barriers(replayer, at, barriers, end))
    except TimeLimitError as error:
        return LaunchResult(not_analyzed(at.kernel, at.launch, str(error), perf_counter() - begin))
    except RecursionError:
        return LaunchResult(not_analyzed(at.kernel, at.launch, _TOO_DEEP, perf_counter() - begin))
    except Exception as error:  # an error in one kernel must not lose the results of the others
        _log.info("kernel %s", at.kernel.ref.name, exc_info=True)
        reason = f"internal error: {type(error).__name__}: {error}"
        return LaunchResult(not_analyzed(at.kernel, at.launch, reason, perf_counter() - begin))
    barriers = replace(barriers, divergences=(*barriers.divergences, *spinning))
    seconds = perf_counter() - begin
    alone = _launch_report(at.kernel, at.launch, _configuration(at.launch, protocol), pairs, seconds)
    as_it_runs = options.as_it_runs and not broken(protocol.functions, context.programs)
    if replayer is not None and as_it_runs:
        alone = with_launch_run(replayer, at, alone, strict=options.strict)
    report = _with_barriers(_besides(alone, at, met), barriers)
    if replayer is not None:
        report = with_program_run(replayer, at, report, begin, strict=options.strict)
        report = with_run_beside(replayer, at, report, as_it_runs=as_it_runs, strict=options.strict)
    return LaunchResult(report, inferred.messages)


def _checked(
    at: KernelAtLaunch, options: AnalysisOptions, context: LaunchContext
) -> tuple[LaunchProtocol, Protocol, BarrierVerdicts, PairVerdicts, tuple[Divergence, ...]]:
    """Protocol, barriers, pairs and livelocks of a launch.

    Each part looks at the clock; raises TimeLimitError where one has run on for longer than all should take together.
    """
    begin = perf_counter()
    end = begin + options.time_limit
    with until(end + _GRACE_SHARE * options.time_limit):
        inferred = infer_at_launch(at.tables, at.kernel, at.launch, options, end)
        protocol = _with_context(inferred, context)
        barriers = check_barriers(protocol, inferred.facts, at.decide, begin + options.time_limit / _BARRIER_SHARE)
        pairs = check_pairs(
            protocol,
            inferred.facts,
            options,
            at.decide,
            end,
            contracts=context.hosted or not options.any_arguments,
            hosted=context.hosted,
            elsewhere=context.conditions,
        )
        if at.launch is not None:
            pairs = behind_untold_tests(pairs, at.launch)
            pairs = pairs if at.launch.unseen is None else at_unseen_calls(pairs, at.launch.unseen, at.decide)
        elif context.cut is not None:
            pairs = at_unseen_launches(pairs, context.cut, at.decide)
        return inferred, protocol, barriers, pairs, livelocks(protocol, inferred.facts, at.decide, end)


def may_launch(kernel: Function, why: HostNote, *, again: bool) -> LaunchReport:
    """Report that stands for launches of a kernel that may exist but were not found; `again`: others were."""
    reason = f"{why.text}, and may launch it{' again' if again else ''}"
    return undecided_launch(kernel.ref.name, kernel.span, reason, at=why.span)


def _with_context(inferred: LaunchProtocol, context: LaunchContext) -> Protocol:
    protocol = inferred.protocol
    gaps = (*protocol.gaps, *broken(protocol.functions, context.programs))
    assumed = (*context.assumed, *protocol.assumed)
    return replace(protocol, gaps=gaps, assumed=assumed)


def not_analyzed(kernel: Function, launch: LaunchSite | None, reason: str, seconds: float = 0) -> LaunchReport:
    """Report of a launch whose analysis did not come to its end, with the reason."""
    if launch is None:
        return undecided_launch(kernel.ref.name, kernel.span, reason, seconds=seconds)
    return undecided_launch(
        kernel.ref.name,
        kernel.span,
        reason,
        launch_span=launch.span,
        configuration=launch.configuration,
        seconds=seconds,
    )


def _configuration(launch: LaunchSite | None, protocol: Protocol) -> str:
    if launch is not None:
        return launch.configuration
    c = protocol.configuration
    return f"<<<({', '.join(map(show, c.grid))}), ({', '.join(map(show, c.block))})>>>"


def _meetings(at: KernelAtLaunch, deadline: float) -> list[Meeting]:
    """The meetings of a launch with work beside it; kernels are followed until `deadline`."""
    if at.launch is None or not at.launch.may_meet:
        return []
    return meetings(at.launch, Footprints(at.tables, deadline), at.decide)


def _with_barriers(report: LaunchReport, barriers: BarrierVerdicts) -> LaunchReport:
    return replace(
        report,
        assumptions=(*report.assumptions, *barriers.assumptions()),
        divergences=barriers.divergences,
        open_barriers=barriers.open_barriers,
    )


def _besides(report: LaunchReport, at: KernelAtLaunch, met: list[Meeting]) -> LaunchReport:
    """The report, not safe where something else may run at the same time and uses what the kernel uses."""
    if at.launch is None or not (at.launch.shared or met):
        return report
    races = races_at_once(at.launch, at.decide)
    races |= {m.shared: m.race for m in met if m.race is not None}
    notes = dict.fromkeys((*at.launch.shared, *(m.shared for m in met)))
    open_ = tuple(OpenPair(None, None, None, (), note.text, note.span) for note in notes if note not in races)
    told = {(m.assumed.text, m.assumed.span) for m in met}
    safe = report.outcome is Outcome.SAFE
    outcome = Outcome.RACE if races else Outcome.UNKNOWN if safe else report.outcome
    return replace(
        report,
        outcome=outcome,
        findings=(*report.findings, *races.values()),
        open_pairs=(*report.open_pairs, *open_),
        assumptions=tuple(a for a in report.assumptions if (a.text, a.span) not in told),
    )


def _launch_report(
    kernel: Function, launch: LaunchSite | None, configuration: str, result: PairVerdicts, seconds: float
) -> LaunchReport:
    return LaunchReport(
        kernel=kernel.ref.name,
        kernel_span=kernel.span,
        launch_span=None if launch is None else launch.span,
        configuration=configuration,
        outcome=result.outcome,
        findings=result.findings,
        open_pairs=result.open_pairs,
        assumptions=result.assumptions,
        notes=result.notes,
        accesses=result.accesses,
        pairs=result.pairs,
        discharged=result.discharged,
        seconds=seconds,
        proofs=result.proofs,
    )
