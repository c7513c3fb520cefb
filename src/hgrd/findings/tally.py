"""Counts over a report: kernels by outcome, findings by severity, what stayed open and what was replayed."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from hgrd.findings.model import CONFIRMED, DivergenceRule, Outcome, Report
from hgrd.findings.rules import Severity
from hgrd.findings.severity import severity, severity_at_barrier


class KernelCounts(Struct, frozen=True):
    """Kernels, and how many of them have each outcome."""

    total: int
    race: int
    safe: int
    unknown: int


class ReplayCounts(Struct, frozen=True):
    """Findings whose witness was run: those that were confirmed, and those that were not."""

    confirmed: int
    failed: int


class RaceCounts(Struct, frozen=True):
    """Races by severity, pairs left open, and replays of races."""

    errors: int
    warnings: int
    notes: int
    undecided: int
    replays: ReplayCounts


class BarrierCounts(Struct, frozen=True):
    """Findings about barriers by severity, barriers left open, and replays.

    `livelocks` are locks that threads of a warp spin on and that are notes; no other count has them, unless they are
    errors.
    """

    errors: int
    notes: int
    livelocks: int
    undecided: int
    replays: ReplayCounts


class Tally(Struct, frozen=True):
    """Counts over a report."""

    kernels: KernelCounts
    races: RaceCounts
    barriers: BarrierCounts

    @property
    def outcome(self) -> Outcome:
        """The worst outcome of a kernel; UNKNOWN for a report without kernels."""
        if self.kernels.race:
            return Outcome.RACE
        return Outcome.SAFE if self.kernels.total and not self.kernels.unknown else Outcome.UNKNOWN


def tally(report: Report, strict: bool) -> Tally:
    """Count what is in a report."""
    return Tally(_kernels(report), _races(report, strict), _barriers(report, strict))


def _kernels(report: Report) -> KernelCounts:
    outcomes = [kernel.outcome for kernel in report.kernels]
    return KernelCounts(len(outcomes), *(outcomes.count(x) for x in (Outcome.RACE, Outcome.SAFE, Outcome.UNKNOWN)))


def _races(report: Report, strict: bool) -> RaceCounts:
    findings = [finding for kernel in report.kernels for finding in kernel.findings]
    severities = [severity(finding, strict) for finding in findings]
    return RaceCounts(
        errors=severities.count(Severity.ERROR),
        warnings=severities.count(Severity.WARNING),
        notes=severities.count(Severity.NOTE),
        undecided=sum(len(launch.open_pairs) for kernel in report.kernels for launch in kernel.launches),
        replays=_replays(finding.replay for finding in findings),
    )


def _barriers(report: Report, strict: bool) -> BarrierCounts:
    found = [divergence for kernel in report.kernels for divergence in kernel.divergences]
    severities = [(d.rule is DivergenceRule.LIVELOCK, severity_at_barrier(d, strict)) for d in found]
    return BarrierCounts(
        errors=sum(level is Severity.ERROR for _, level in severities),
        notes=severities.count((False, Severity.NOTE)),
        livelocks=severities.count((True, Severity.NOTE)),
        undecided=sum(len(launch.open_barriers) for kernel in report.kernels for launch in kernel.launches),
        replays=_replays(d.replay for d in found),
    )


def _replays(results: Iterable[str]) -> ReplayCounts:
    """Counts of replays by their result; "" is no replay."""
    tried = [result for result in results if result]
    return ReplayCounts(tried.count(CONFIRMED), len(tried) - tried.count(CONFIRMED))
