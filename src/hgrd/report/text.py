"""The text format: the report as diagnostics for people, and remarks about the input beside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from hgrd.findings.model import Message, Report
from hgrd.program.span import NOWHERE
from hgrd.report.context import ReportContext
from hgrd.report.terminal import lines
from hgrd.report.terminal.excerpt import source_reader
from hgrd.report.terminal.report import TextOptions, render

_MOST_ERRORS: Final = 10  # of one file, unless all are asked for


def write(report: Report, context: ReportContext) -> None:
    """Write the report to the output; unless `brief`, the messages about the input go to the log before it."""
    if not context.brief:
        for message in message_lines(report.messages, everything=context.verbose):
            print(message, file=context.log)
    options = TextOptions(strict=context.strict, brief=context.brief)
    lines.write(render(report, source_reader(), options), context.output, context.color)


def message_lines(messages: Iterable[Message], *, everything: bool) -> Iterator[str]:
    """A line for each message; unless `everything`, only the first errors of each file, and how many more there are."""
    errors: Counter[str] = Counter()
    for message in messages:
        file = message.span.file
        errors[file] += message.error
        if everything or not message.error or errors[file] <= _MOST_ERRORS:
            yield _line(message)
    for file, count in errors.items():
        if count > _MOST_ERRORS and not everything:
            yield f"{file}: error: {count - _MOST_ERRORS} more errors, which -v shows"


def _line(message: Message) -> str:
    where = "hgrd" if message.span == NOWHERE else str(message.span)
    return f"{where}: {'error' if message.error else 'warning'}: {message.text}"
