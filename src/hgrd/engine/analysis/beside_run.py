"""Races beside a launch that a run of the program shows: with other work on the device, and with the host.

What may run at the same time, and whether it uses the same elements, may be open, or be assumed not to be so: where the
program itself, as it runs without arguments, has two accesses that nothing orders, the two race.
"""

from __future__ import annotations

import logging
from time import perf_counter

from msgspec.structs import replace

from hgrd.cuda.memory_model import Space
from hgrd.engine.analysis.replay import Beside, WitnessReplay
from hgrd.findings.model import Confidence, FactUse, Finding, LaunchReport, OpenPair, Outcome
from hgrd.findings.rules import UNORDERED_WORK
from hgrd.host.kinds import FactKind
from hgrd.host.model import LaunchSite
from hgrd.program.span import Span
from hgrd.protocol.overlaps import SAME_MEMORY
from hgrd.races.results.evidence import KernelAtLaunch
from hgrd.symbolic.limits import TimeLimitError, until

_log = logging.getLogger(__name__)
_SECONDS = 14.0
ONLY_RUN = (
    "no input decides what the program does: in a run of it, nothing uses memory that something else stores at the time"
)


def with_run_beside(
    replayer: WitnessReplay, at: KernelAtLaunch, report: LaunchReport, *, as_it_runs: bool, strict: bool
) -> LaunchReport:
    """The report on a launch, with the races that a run of the program shows beside it.

    `as_it_runs`: the launch is analysed as the program makes it, so that its run may also show that there are none.
    """
    if at.launch is None or not (at.launch.beside or _removable(report, at.launch) or _unsure(report)):
        return report
    if any(f.rule == UNORDERED_WORK.code for f in report.findings):
        return report
    shown = _shown(replayer, at)
    if shown.apart and as_it_runs:
        return _without(report, at.launch, shown, strict=strict)
    told = {_line(o.span) for o in report.open_pairs if o.first is None} | {_line(f.span) for f in at.launch.beside}
    others = (race for race in shown.without_kernel if any(_line(place) in told for place in race.places))
    races = [*shown.races, *others]
    if not races:
        return report
    places = {_line(place) for race in races for place in race.places}
    assumed = {(fact.text, fact.span) for fact in at.launch.beside if _line(fact.span) in places}
    return replace(
        report,
        outcome=Outcome.RACE,
        findings=(*report.findings, *(race.finding for race in races)),
        open_pairs=tuple(o for o in report.open_pairs if o.first is not None or _line(o.span) not in places),
        assumptions=tuple(a for a in report.assumptions if (a.text, a.span) not in assumed),
    )


def _removable(report: LaunchReport, launch: LaunchSite) -> bool:
    """Whether a run of the program may decide anything of what is open."""
    return bool(_beside(report, launch) or _overlaps(report, launch) or _in_global_memory(report))


def _beside(report: LaunchReport, launch: LaunchSite) -> list[OpenPair]:
    """What is open because of work that may run at the same time."""
    notes = {(n.text, n.span) for n in (*launch.shared, *(m.shared for m in launch.may_meet))}
    return [o for o in report.open_pairs if (o.reason, o.span) in notes]


def _in_global_memory(report: LaunchReport) -> list[OpenPair]:
    return [o for o in report.open_pairs if o.first is not None and o.space is Space.GLOBAL]


def _unsure(report: LaunchReport) -> list[Finding]:
    """The races in global memory that depend on what is not known."""
    unsure = (Confidence.CONDITIONAL, Confidence.DATA_DEPENDENT)
    return [f for f in report.findings if f.confidence in unsure and f.space is Space.GLOBAL and not f.same_value]


def _overlaps(report: LaunchReport, launch: LaunchSite) -> list[OpenPair]:
    """What is open because pointers that the launch gets may lead to the same memory."""
    reasons = {f"{overlap.text}: {SAME_MEMORY}" for overlap in launch.overlaps}
    return [o for o in report.open_pairs if o.first is None and o.reason in reasons]


def _without(report: LaunchReport, launch: LaunchSite, shown: Beside, *, strict: bool) -> LaunchReport:
    """The report without what may run at the same time: as the program's only run shows, none of it meets."""
    gone = {o for o in _beside(report, launch) if _line(o.span) in shown.apart}
    gone |= set(_overlaps(report, launch) if shown.distinct or shown.alone else ())
    gone |= set(_in_global_memory(report) if shown.alone else ())
    unsure = _unsure(report) if shown.alone else []
    if not (gone or unsure):
        return report
    left = tuple(o for o in report.open_pairs if o not in gone)
    findings = tuple(f for f in report.findings if f not in unsure)
    racy = any(strict or not f.same_value for f in findings)
    safe = not (left or racy)
    return replace(
        report,
        outcome=Outcome.RACE if racy else Outcome.SAFE if safe else Outcome.UNKNOWN,
        findings=findings,
        open_pairs=left,
        discharged=report.pairs if safe else report.discharged,
        assumptions=(*report.assumptions, FactUse(ONLY_RUN, FactKind.CONTENTS.value, launch.span)),
    )


def _shown(replayer: WitnessReplay, at: KernelAtLaunch) -> Beside:
    try:
        with until(perf_counter() + _SECONDS):
            return replayer.beside(at)
    except TimeLimitError:
        return Beside()
    except Exception:  # the report stands without the run
        _log.info("run of the program beside %s", at.kernel.ref.name, exc_info=True)
        return Beside()


def _line(span: Span) -> tuple[str, int]:
    return span.file, span.line
