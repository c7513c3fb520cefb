"""The text format: the report as diagnostics for people, and remarks about the input beside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from hgrd.findings.model import KernelReport, Message, Report
from hgrd.program.span import NOWHERE
from hgrd.report.context import ReportContext
from hgrd.report.terminal import lines
from hgrd.report.terminal.excerpt import source_reader
from hgrd.report.terminal.lines import Line
from hgrd.report.terminal.report import TextOptions, render_end, render_kernel

_MOST_ERRORS: Final = 10  # of one file, unless all are asked for


class TextWriter:
    """Writes each kernel to the output as soon as it is decided; messages go to the log, unless `brief`."""

    def __init__(self, context: ReportContext) -> None:
        self._context = context
        self._options = TextOptions(strict=context.strict, brief=context.brief, verbose=context.verbose)
        self._source_line = source_reader()

    def messages(self, messages: Iterable[Message]) -> None:
        if not self._context.brief:
            for text in message_lines(messages, everything=self._context.verbose):
                print(text, file=self._context.log, flush=True)

    def kernel(self, kernel: KernelReport) -> None:
        self._write(render_kernel(kernel, self._source_line, self._options))

    def end(self, report: Report, failures: Mapping[str, str]) -> None:
        self._write(render_end(report, self._options))

    def _write(self, written: Iterable[Line]) -> None:
        lines.write(written, self._context.output, self._context.color)
        self._context.output.flush()


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
