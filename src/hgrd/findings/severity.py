"""Severities of findings, and counts over a whole report."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from hgrd.findings.model import CONFIRMED, Confidence, Divergence, DivergenceRule, Finding, Outcome, Report
from hgrd.findings.rules import RULES, Severity


def severity(finding: Finding, strict: bool) -> Severity:
    """Severity of a race: that of its rule; a conditional race is a warning, writes of the same value a note.

    With `strict`, writes of the same value are as severe as other races.
    """
    if finding.same_value and not strict:
        return Severity.NOTE
    if finding.confidence is Confidence.CONDITIONAL:
        return Severity.WARNING
    rule = RULES[finding.rule]
    return rule.strict_severity if strict else rule.severity


def severity_at_barrier(divergence: Divergence, strict: bool) -> Severity:
    """Severity of a finding about a barrier or a livelock: that of its rule, with or without `strict`."""
    rule = RULES[divergence.rule.value]
    return rule.strict_severity if strict else rule.severity


class Tally(Struct, frozen=True):
    """Counts over a report: kernels by outcome, races by severity, pairs left open; the same of barriers.

    `livelocks` are locks that threads of a warp spin on; with `strict` they count among the errors and are 0 here.
    `replayed` and `not_replayed` count the races whose witness was confirmed, and was tried in vain; the same of
    findings about barriers.
    """

    kernels: int
    race: int
    safe: int
    unknown: int
    errors: int
    warnings: int
    notes: int
    open_pairs: int
    barrier_errors: int
    barrier_notes: int
    livelocks: int
    open_barriers: int
    replayed: int
    not_replayed: int
    barriers_replayed: int
    barriers_not_replayed: int

    @property
    def outcome(self) -> Outcome:
        """The worst outcome of a kernel; UNKNOWN for a report without kernels."""
        if self.race:
            return Outcome.RACE
        return Outcome.SAFE if self.kernels and not self.unknown else Outcome.UNKNOWN


def tally(report: Report, strict: bool) -> Tally:
    """Count what is in a report."""
    outcomes = [kernel.outcome for kernel in report.kernels]
    severities = [severity(finding, strict) for kernel in report.kernels for finding in kernel.findings]
    replays = [finding.replay for kernel in report.kernels for finding in kernel.findings if finding.replay]
    stays = [d.replay for kernel in report.kernels for d in kernel.divergences if d.replay]
    at_barriers = [severity_at_barrier(d, strict) for kernel in report.kernels for d in kernel.divergences]
    locks = [d for kernel in report.kernels for d in kernel.divergences if d.rule is DivergenceRule.LIVELOCK]
    livelocks = 0 if strict else len(locks)
    return Tally(
        kernels=len(outcomes),
        race=outcomes.count(Outcome.RACE),
        safe=outcomes.count(Outcome.SAFE),
        unknown=outcomes.count(Outcome.UNKNOWN),
        errors=severities.count(Severity.ERROR),
        warnings=severities.count(Severity.WARNING),
        notes=severities.count(Severity.NOTE),
        open_pairs=sum(len(launch.open_pairs) for kernel in report.kernels for launch in kernel.launches),
        barrier_errors=at_barriers.count(Severity.ERROR),
        barrier_notes=at_barriers.count(Severity.NOTE) - livelocks,
        livelocks=livelocks,
        open_barriers=sum(len(launch.open_barriers) for kernel in report.kernels for launch in kernel.launches),
        replayed=replays.count(CONFIRMED),
        not_replayed=len(replays) - replays.count(CONFIRMED),
        barriers_replayed=stays.count(CONFIRMED),
        barriers_not_replayed=len(stays) - stays.count(CONFIRMED),
    )


def merged(reports: Iterable[Report], seconds: float) -> Report:
    """Merge reports on different programs into one, in their order."""
    parts = tuple(reports)
    return Report(
        files=tuple(file for part in parts for file in part.files),
        kernels=tuple(kernel for part in parts for kernel in part.kernels),
        messages=tuple(dict.fromkeys(message for part in parts for message in part.messages)),
        seconds=seconds,
    )
