"""Program runs: what is left open or conditional at a launch is a race if the program, when it runs, shows it there."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Mapping
from time import perf_counter

from msgspec.structs import replace

from hgrd.engine.analysis.replay import WitnessReplay
from hgrd.findings.asked_pair import AskedPair
from hgrd.findings.model import Confidence, FactUse, Finding, LaunchReport, OpenPair, Outcome
from hgrd.host.kinds import FactKind
from hgrd.races.plausibility.program_made_arrays import BY_PROGRAM
from hgrd.races.results.evidence import KernelAtLaunch
from hgrd.symbolic.limits import TimeLimitError, until

_log = logging.getLogger(__name__)
_SECONDS, _SECONDS_OF_LAUNCH = 15.0, 12.0
_UNSURE = (Confidence.CONDITIONAL, Confidence.DATA_DEPENDENT)
_FOLLOWED = "no input decides what the kernel finds: a run of it on that shows all accesses, and no two conflict"


def with_launch_run(replayer: WitnessReplay, at: KernelAtLaunch, report: LaunchReport, *, strict: bool) -> LaunchReport:
    """The report on a launch, with what a run of it on the memory that it finds shows of what is not sure.

    Where that run stands for all others and has no race, the launch has none.
    """
    image = None if at.launch is None else at.launch.image
    doubtful = any(f.confidence in _UNSURE and not f.same_value for f in report.findings)
    if at.launch is None or image is None or not (report.open_pairs or doubtful):
        return report
    try:
        with until(perf_counter() + _SECONDS_OF_LAUNCH):
            run = replayer.launch(at, image, _asked(report, _UNSURE))
    except TimeLimitError:
        return report
    except Exception:  # the report stands without the run
        _log.info("run of a launch of %s", at.kernel.ref.name, exc_info=True)
        return report
    if not run.apart:
        sure = {pair: race for pair, race in run.found.items() if race.confidence not in _UNSURE}
        return _with_shown(report, sure, strict=strict)
    if at.launch.unseen is not None or any(f.confidence not in _UNSURE for f in report.findings if not f.same_value):
        return report
    fact = FactUse(_FOLLOWED, FactKind.CONTENTS.value, at.launch.span)
    return replace(
        report,
        outcome=Outcome.SAFE,
        findings=(),
        open_pairs=(),
        discharged=report.pairs,
        assumptions=(*report.assumptions, fact),
    )


def with_program_run(
    replayer: WitnessReplay, at: KernelAtLaunch, report: LaunchReport, begin: float, *, strict: bool
) -> LaunchReport:
    """The report on a launch, analysed since `begin`, with the races that a run of the program shows there."""
    asked = _asked(report, (Confidence.CONDITIONAL,))
    shown: Mapping[AskedPair, Finding] = _shown(replayer, at, asked) if asked else {}
    return replace(_with_shown(report, shown, strict=strict), seconds=perf_counter() - begin)


def _with_shown(report: LaunchReport, shown: Mapping[AskedPair, Finding], *, strict: bool) -> LaunchReport:
    """The report, with the races that a run has shown."""
    if not shown:
        return report
    findings = (*(_replaced(f, shown) for f in report.findings), *_new(report, shown))
    racy = any(strict or not f.same_value for f in findings)
    return replace(
        report,
        outcome=Outcome.RACE if racy else report.outcome,
        findings=findings,
        open_pairs=tuple(left for pair in report.open_pairs for left in _left(pair, shown)),
    )


def _shown(replayer: WitnessReplay, at: KernelAtLaunch, asked: tuple[AskedPair, ...]) -> Mapping[AskedPair, Finding]:
    try:
        with until(perf_counter() + _SECONDS):
            return replayer.program(at, asked)
    except TimeLimitError:
        return {}
    except Exception:  # the report stands without the run
        _log.info("run of the program for %s", at.kernel.ref.name, exc_info=True)
        return {}


def _asked(report: LaunchReport, unsure: Collection[Confidence]) -> tuple[AskedPair, ...]:
    """The pairs that are open, with all their levels, and the races that are unsure."""
    levels: dict[AskedPair, AskedPair] = {}
    doubtful = (f for f in report.findings if f.confidence in unsure and not f.same_value)
    for pair in (*report.open_pairs, *doubtful):
        key = _key(pair)
        if key is not None:
            known = levels.get(key)
            both = {*pair.levels, *(known.levels if known is not None else ())}
            computed = (known is not None and known.computed) or _is_computed(pair)
            wanted = tuple(level for level in type(pair.levels[0]) if level in both)
            levels[key] = replace(key, levels=wanted, computed=computed)
    return tuple(levels.values())


def _is_computed(pair: OpenPair | Finding) -> bool:
    return isinstance(pair, OpenPair) and pair.reason.startswith(BY_PROGRAM)


def _key(pair: OpenPair | Finding) -> AskedPair | None:
    """A pair without its levels; None for a part of the kernel."""
    if pair.first is None or pair.second is None or pair.space is None or not pair.levels:
        return None
    return AskedPair(pair.first, pair.second, pair.space, ())


def _by_key(shown: Mapping[AskedPair, Finding]) -> dict[AskedPair, Finding]:
    return {replace(pair, levels=(), computed=False): finding for pair, finding in shown.items()}


def _replaced(finding: Finding, shown: Mapping[AskedPair, Finding]) -> Finding:
    """A race that was not sure as the run has shown it."""
    key = _key(finding)
    seen = None if key is None else _by_key(shown).get(key)
    if seen is None or seen.same_value or _rank(seen) <= _rank(finding):
        return finding
    return replace(
        finding,
        confidence=seen.confidence,
        witness=seen.witness,
        condition="",
        method=seen.method,
        replay=seen.replay,
    )


def _rank(finding: Finding) -> int:
    """How sure a race is."""
    return _UNSURE.index(finding.confidence) if finding.confidence in _UNSURE else len(_UNSURE)


def _new(report: LaunchReport, shown: Mapping[AskedPair, Finding]) -> Iterable[Finding]:
    known = {_key(f) for f in report.findings}
    return (finding for key, finding in _by_key(shown).items() if key not in known)


def _left(pair: OpenPair, shown: Mapping[AskedPair, Finding]) -> Iterable[OpenPair]:
    """What is open of a pair besides what the run has shown."""
    key = _key(pair)
    seen = None if key is None else _by_key(shown).get(key)
    if seen is None:
        return (pair,)
    levels = tuple(level for level in pair.levels if level not in seen.levels)
    return (replace(pair, levels=levels),) if levels else ()
