"""Reports as people and programs read them: a writer for each format, loaded when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final, Protocol

from hgrd.findings.model import KernelReport, Message, Report
from hgrd.report.context import ReportContext

__all__ = ["FORMATS", "ReportContext", "Writer"]


class Writer(Protocol):
    """Writes a report while it comes into being.

    `messages` and `kernel` are called with what has been found, in any order; `end` with the whole of it, and with
    the inputs that could not be analysed, each with the reason.
    """

    def messages(self, messages: Iterable[Message], /) -> None: ...
    def kernel(self, kernel: KernelReport, /) -> None: ...
    def end(self, report: Report, failures: Mapping[str, str], /) -> None: ...


def _text(context: ReportContext) -> Writer:
    from hgrd.report.text import TextWriter

    return TextWriter(context)


def _json(context: ReportContext) -> Writer:
    from hgrd.report.json import JsonWriter

    return JsonWriter(context)


def _sarif(context: ReportContext) -> Writer:
    from hgrd.report.sarif import SarifWriter

    return SarifWriter(context)


def _github(context: ReportContext) -> Writer:
    from hgrd.report.github import GithubWriter

    return GithubWriter(context)


FORMATS: Final[Mapping[str, Callable[[ReportContext], Writer]]] = {
    "text": _text,
    "json": _json,
    "sarif": _sarif,
    "github": _github,
}
"""The formats of `hgrd check --format`, by name; the first one is the default."""
