"""Rolling up reports: the launches of one kernel, and its template instances, as one result."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from hgrd.findings.model import (
    CONFIRMED,
    Confidence,
    Divergence,
    Finding,
    KernelReport,
    LaunchReport,
    Outcome,
    Report,
)

_SURENESS = (Confidence.CONFIRMED, Confidence.DEFINITE, Confidence.DATA_DEPENDENT, Confidence.CONDITIONAL)


def roll_up(reports: Iterable[LaunchReport]) -> tuple[KernelReport, ...]:
    """One report for each kernel, with its launches and template instances together, in the order of the launches."""
    by_kernel: dict[tuple[str, object], list[LaunchReport]] = {}
    for report in reports:
        by_kernel.setdefault((report.kernel, report.kernel_span), []).append(report)
    return tuple(
        KernelReport(
            group[0].kernel,
            group[0].kernel_span,
            _worst(group),
            tuple(group),
            merge_findings(group),
            merge_divergences(group),
        )
        for group in by_kernel.values()
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


def _worst(group: list[LaunchReport]) -> Outcome:
    outcomes = {r.outcome for r in group}
    for outcome in (Outcome.RACE, Outcome.UNKNOWN):
        if outcome in outcomes:
            return outcome
    return Outcome.SAFE


def merge_findings(group: Iterable[LaunchReport]) -> tuple[Finding, ...]:
    """One finding for each pair of sites and space: the gravest one, with the levels of all launches."""
    merged: dict[object, Finding] = {}
    for report in group:
        for f in report.findings:
            ends = sorted((_end(f, first=True), _end(f, first=False)))
            key = (*ends, f.space)
            known = merged.get(key)
            if known is None:
                merged[key] = f
            else:
                levels = {*known.levels, *f.levels}
                ordered = tuple(level for level in type(f.levels[0]) if level in levels)
                merged[key] = replace(min(known, f, key=_lightness), levels=ordered)
    return tuple(merged.values())


def _lightness(finding: Finding) -> tuple[bool, int, bool]:
    """Sort key of findings on the same two sites at different launches: the least is the gravest.

    A condition that excludes the race at one launch, or a value that is the same there, says nothing of the others.
    """
    return finding.same_value, _SURENESS.index(finding.confidence), finding.replay != CONFIRMED


def merge_divergences(group: Iterable[LaunchReport]) -> tuple[Divergence, ...]:
    """One finding for each rule and barrier: that of the first launch."""
    merged: dict[object, Divergence] = {}
    for report in group:
        for d in report.divergences:
            merged.setdefault((d.rule, d.span), d)
    return tuple(merged.values())


def _end(finding: Finding, *, first: bool) -> tuple[str, int, int, str, str]:
    site = finding.first if first else finding.second
    return (site.span.file, site.span.line, site.span.column, site.kind.value, site.scope)
