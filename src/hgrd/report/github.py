"""The GitHub format: workflow commands, which GitHub Actions shows as annotations of the lines of a pull request."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping

from hgrd.findings.model import KernelReport, Message, Outcome, Report
from hgrd.findings.rules import RULES, Severity
from hgrd.findings.severity import severity, severity_at_barrier
from hgrd.findings.undecided import reasons
from hgrd.program.span import NOWHERE, Span
from hgrd.report.context import ReportContext
from hgrd.report.terminal.barriers import divergence_confidence, divergence_title
from hgrd.report.terminal.excerpt import SourceLine, source_reader
from hgrd.report.terminal.names import in_source
from hgrd.report.terminal.parts import access, race_confidence, race_title
from hgrd.report.terminal.report import render_summary

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


class GithubWriter:
    """Writes an annotation for each finding, undecided kernel and message as it comes, and the last line at the end."""

    def __init__(self, context: ReportContext) -> None:
        self._context = context
        self._source_line = source_reader()

    def messages(self, messages: Iterable[Message]) -> None:
        for message in () if self._context.brief else messages:
            self._write(_annotation("error" if message.error else "notice", message.span, "hgrd", message.text))

    def kernel(self, kernel: KernelReport) -> None:
        for line in _of_kernel(kernel, self._source_line, self._context):
            self._write(line)

    def end(self, report: Report, failures: Mapping[str, str]) -> None:
        for file, reason in failures.items():
            self._write(_annotation("error", NOWHERE, "hgrd", f"{file}: {reason}"))
        self._write("".join(text for _, text in render_summary(report, self._context.strict)))

    def _write(self, text: str) -> None:
        print(text, file=self._context.output, flush=True)


def _of_kernel(kernel: KernelReport, source_line: SourceLine, context: ReportContext) -> Iterator[str]:
    for finding in kernel.findings:
        other = finding.second
        text = (
            f"{race_title(kernel, finding, source_line)}\n"
            f"and this {access(other, source_line)} at {_place(other.span)} by another thread\n"
            f"{race_confidence(finding)}"
            + (f"\nunless assert({in_source(finding.condition)});" if finding.condition else "")
        )
        command = _COMMANDS[severity(finding, context.strict)]
        yield _annotation(command, finding.first.span, f"{finding.rule}: {RULES[finding.rule].title}", text)
    for d in kernel.divergences:
        command, rule = _COMMANDS[severity_at_barrier(d, context.strict)], d.rule.value
        text = f"{divergence_title(kernel, d)}\n{divergence_confidence(d)}"
        yield _annotation(command, d.span, f"{rule}: {RULES[rule].title}", text)
    if kernel.outcome is Outcome.UNKNOWN and not context.brief:
        why = "\n".join(in_source(reason) for reason in dict.fromkeys(reasons(kernel)))
        yield _annotation("warning", kernel.span, "hgrd: not decided", f"kernel '{kernel.kernel}' is unknown\n{why}")


def _annotation(command: str, span: Span, title: str, text: str) -> str:
    """A workflow command; GitHub takes paths relative to the repository, in which it runs."""
    where = (
        "" if span == NOWHERE else f"file={_property(os.path.relpath(span.file))},line={span.line},col={span.column},"
    )
    return f"::{command} {where}title={_property(title)}::{_data(text)}"


def _place(span: Span) -> str:
    return f"{os.path.relpath(span.file)}:{span.line}:{span.column}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
