"""Circumstances of a report: options of the command line that writers heed, and where they write."""

from __future__ import annotations

from typing import TextIO

from msgspec import Struct


class ReportContext(Struct, frozen=True, kw_only=True):
    """What a writer is given beside the report.

    The report goes to `output` (bytes to its `buffer`), remarks about the input that are no part of it to `log`.
    `strict`: writes of the same value are
    races.  `brief`: the findings and the last line only.  `verbose`: all remarks instead of the first ones of each
    file.  `color`: with colours, where the format has any.
    """

    output: TextIO
    log: TextIO
    strict: bool = False
    brief: bool = False
    verbose: bool = False
    color: bool = False
