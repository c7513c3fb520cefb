"""Reports as people and programs read them: a writer for each format."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from hgrd.findings.model import Report
from hgrd.report import json, text
from hgrd.report.context import ReportContext

__all__ = ["FORMATS", "ReportContext", "Writer"]

Writer: TypeAlias = Callable[[Report, ReportContext], None]

FORMATS: Final[Mapping[str, Writer]] = {
    "text": text.write,
    "json": json.write,
}
"""The formats of `hgrd check --format`, by name; the first one is the default."""
