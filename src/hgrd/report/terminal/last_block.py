"""The last block of a report: what was found, what was left open and why, and what to do next."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hgrd.findings.model import Finding, KernelReport, Outcome, Report
from hgrd.findings.rules import RULES, Severity
from hgrd.findings.severity import severity, severity_at_barrier
from hgrd.report.terminal.lines import Line, line
from hgrd.report.terminal.names import in_source
from hgrd.report.terminal.parts import CONFIDENCES, INDENT, SEVERITIES, TONE, counted
from hgrd.symbolic.limits import OUT_OF_TIME

_MOST_FOUND = 20
_MOST_OPEN = 5
_Row = tuple[tuple[int, int, str, int], Severity, str, str]


def last_block(report: Report, strict: bool) -> Iterator[Line]:
    """The findings in order, why kernels are unknown, and advice; nothing where there is only one thing to say."""
    found = sorted(_found(report, strict), key=lambda row: row[0])
    reasons = _reasons(report)
    if len(found) > 1:
        yield line("found, the gravest first:")
        for _, level, sure, text in found[:_MOST_FOUND]:
            yield line(INDENT, (TONE[level], f"{level.value:<9}"), f"{sure:<16}{text}")
        if len(found) > _MOST_FOUND:
            yield line(INDENT, f"and {len(found) - _MOST_FOUND} more above")
    if len(reasons) > 1:
        yield line("left open:")
        for reason, kernels in reasons[:_MOST_OPEN]:
            yield line(INDENT, f"{counted(len(kernels), 'kernel')}: {reason} ({_some(kernels)})")
        if len(reasons) > _MOST_OPEN:
            yield line(INDENT, f"and {counted(len(reasons) - _MOST_OPEN, 'other reason')}, above")
    advice = list(_advice(report, strict)) if len(found) > 1 or len(reasons) > 1 else []
    if advice:
        yield line("what to do next:")
        yield from (line(INDENT, text) for text in advice)
    if len(found) > 1 or len(reasons) > 1:
        yield ()


# ---------------------------------------------------------------- what was found


def _found(report: Report, strict: bool) -> Iterator[_Row]:
    """A row for each race, for the possible races of a kernel together, and for each finding about a barrier."""
    for kernel in report.kernels:
        yield from _races(kernel, strict)
        for d in kernel.divergences:
            level = severity_at_barrier(d, strict)
            order = (SEVERITIES.index(level), CONFIDENCES.index(d.confidence), d.span.file, d.span.line)
            text = f"{_at(d.span.file, d.span.line)}: {RULES[d.rule.value].title} in {kernel.kernel}"
            yield order, level, d.confidence.value, text


def _races(kernel: KernelReport, strict: bool) -> Iterator[_Row]:
    shown: dict[object, list[Finding]] = {}
    for f in kernel.findings:
        level = severity(f, strict)
        key = (level, f.confidence) if level is Severity.WARNING else (level, f.confidence, f.first.array)
        shown.setdefault(key, []).append(f)
    for findings in shown.values():
        f = findings[0]
        level, span = severity(f, strict), f.first.span
        order = (SEVERITIES.index(level), CONFIDENCES.index(f.confidence), span.file, span.line)
        arrays = ", ".join(dict.fromkeys(f"'{in_source(x.first.array)}'" for x in findings[:3]))
        races = counted(len(findings), "race")
        yield order, level, f.confidence.value, f"{_at(span.file, span.line)}: {races} on {arrays} in {kernel.kernel}"


def _at(file: str, number: int) -> str:
    return f"{file}:{number}"


# ---------------------------------------------------------------- what was left open


def _reasons(report: Report) -> list[tuple[str, list[str]]]:
    """Why kernels are unknown, the most frequent reason first, each with the kernels."""
    found: dict[str, dict[str, None]] = {}
    for kernel in report.kernels:
        if kernel.outcome is Outcome.UNKNOWN:
            for reason in {general(p.reason) for launch in kernel.launches for p in launch.open_pairs}:
                found.setdefault(reason, {})[kernel.kernel] = None
    return [(r, list(kernels)) for r, kernels in sorted(found.items(), key=lambda item: (-len(item[1]), item[0]))]


def general(reason: str) -> str:
    """A reason without what differs from kernel to kernel: its names."""
    text = re.sub(r"^[\w.\[\]()* ]+ and [\w.\[\]()* ]+: they", "two pointers: they", in_source(reason))
    text = re.sub(r"^(it depends on values that [\w ]+): .*", r"\1", text)
    text = re.sub(r"^\w+ may be called", "a function that launches it may be called", text)
    return re.sub(r"^a call of \w+, ", "a call of a function ", text)


def _some(names: list[str]) -> str:
    return ", ".join(names[:3]) + (", …" if len(names) > 3 else "")


# ---------------------------------------------------------------- what to do next


def _advice(report: Report, strict: bool) -> Iterator[str]:
    reasons = [reason for reason, _ in _reasons(report)]
    if any(severity(f, strict) is Severity.WARNING for k in report.kernels for f in k.findings):
        yield "write the contracts above into the host code as asserts, or try them with --assume 'CONDITION'"
    if any(m.error for m in report.messages) or any("does not compile" in r for r in reasons):
        yield "give the include paths that are missing with -I, or the build with -p: other code is left out"
    if report.stopped or any(r.startswith(OUT_OF_TIME) for r in reasons):
        yield "give more time with --timeout, --program-timeout and --total-timeout, or try --again with less beside it"
    if any("may be the same memory" in r for r in reasons):
        yield "declare pointers that are never the same __restrict__, or check the host code that sets them, too"
    if any("may be called by code that is not followed" in r for r in reasons):
        yield "name all sources of the program, so that every launch is seen"
    if report.kernels:
        yield "look at one kernel with --kernel NAME -v: all findings, facts and open pairs"
