"""Races beside a launch that a run of the program shows: with other work on the device, and with the host.

What may run at the same time, and whether it uses the same elements, may be open, or be assumed not to be so: where the
program itself, as it runs without arguments, has two accesses that nothing orders, the two race.
"""

from __future__ import annotations

import logging
from time import perf_counter

from msgspec.structs import replace

from hgrd.engine.analysis.replay import WitnessReplay
from hgrd.findings.model import LaunchReport, Outcome
from hgrd.findings.rules import UNORDERED_WORK
from hgrd.program.span import Span
from hgrd.races.between.finding import RaceBeside
from hgrd.races.results.evidence import KernelAtLaunch
from hgrd.symbolic.limits import TimeLimitError, until

_log = logging.getLogger(__name__)
_SECONDS = 14.0


def with_run_beside(replayer: WitnessReplay, at: KernelAtLaunch, report: LaunchReport) -> LaunchReport:
    """The report on a launch, with the races that a run of the program shows beside it."""
    if at.launch is None or not (at.launch.shared or at.launch.may_meet or at.launch.beside):
        return report
    if any(f.rule == UNORDERED_WORK.code for f in report.findings):
        return report
    own, without_kernel = _shown(replayer, at)
    told = {_line(o.span) for o in report.open_pairs if o.first is None} | {_line(f.span) for f in at.launch.beside}
    races = [*own, *(race for race in without_kernel if any(_line(place) in told for place in race.places))]
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


def _shown(replayer: WitnessReplay, at: KernelAtLaunch) -> tuple[tuple[RaceBeside, ...], tuple[RaceBeside, ...]]:
    try:
        with until(perf_counter() + _SECONDS):
            return replayer.beside(at)
    except TimeLimitError:
        return (), ()
    except Exception:  # the report stands without the run
        _log.info("run of the program beside %s", at.kernel.ref.name, exc_info=True)
        return (), ()


def _line(span: Span) -> tuple[str, int]:
    return span.file, span.line
