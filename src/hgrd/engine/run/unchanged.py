"""Programs that are as they were when they were checked: what was told of them then is told again."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from math import inf
from pathlib import Path
from typing import Final

from msgspec.structs import astuple, replace

from hgrd.engine.inputs import Failure
from hgrd.engine.run.news import KernelDecided, KernelsNamed, News
from hgrd.engine.run.processes import DIED
from hgrd.engine.run.settings import Settings
from hgrd.findings.model import KernelReport
from hgrd.findings.options import AnalysisOptions
from hgrd.findings.undecided import had_too_little_time, reasons
from hgrd.source import cache_files
from hgrd.source.own_code import own_code
from hgrd.symbolic.limits import OUT_OF_TIME

_KEPT_BYTES = 1 << 28
_LIBRARIES: Final = ("z3", "numpy")  # that verdicts come from


def key_of(files: Sequence[str], settings: Settings) -> str | None:
    """A key that changes whenever the verdicts on a program may; None where that is unknown.

    The limit of time for a whole program does not count: verdicts that it has cut short are not kept.
    """
    from hgrd.source import program_cache  # not at the top: it loads a part of the front end

    parts: list[object] = [sys.version_info[:3], own_code(), *map(_library, _LIBRARIES), settings.replay]
    for file in files:
        flags, origin = settings.build.flags(file)
        program = program_cache.key_of(file, flags.under(settings.source))
        if program is None:
            return None
        parts += [file, origin, program]
    without = sorted(kind.value for kind in settings.analysis.without)
    options = replace(settings.analysis, without=frozenset(), program_limit=inf)
    text = repr((parts, without, astuple(options)))
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:32]


def load(key: str, settings: Settings) -> tuple[News, ...] | None:
    """What was told of a program; None if nothing is kept."""
    found = cache_files.load(_file(key, settings))
    return found if isinstance(found, tuple) else None  # pyright: ignore[reportUnknownVariableType]


def store(key: str, told: Sequence[News], settings: Settings) -> None:
    """Keeps what has been told of a program, if it is all that there is to tell."""
    if is_whole(told, settings.analysis):
        cache_files.store(tuple(told), _file(key, settings), _KEPT_BYTES)


def is_whole(told: Sequence[News], options: AnalysisOptions) -> bool:
    """Whether nothing failed or died, and no work had less time than it has where it is the only one."""
    named = [news for news in told if isinstance(news, KernelsNamed)]
    reports = {news.name: news.report for news in told if isinstance(news, KernelDecided)}
    if not named or any(isinstance(news, Failure) for news in told) or set(named[-1].kernels) != set(reports):
        return False
    host_cut = any(message.text.startswith(OUT_OF_TIME) for news in named for message in news.messages)
    if host_cut and options.program_limit < options.time_limit:
        return False
    return not any(_died(report) or had_too_little_time(report, options.time_limit) for report in reports.values())


def _died(report: KernelReport) -> bool:
    return any(reason.startswith(DIED) for reason in reasons(report))


def _library(name: str) -> tuple[str, int, int] | None:
    """Identity of an installed library."""
    spec = find_spec(name)
    if spec is None or spec.origin is None:
        return None
    state = Path(spec.origin).stat()
    return spec.origin, state.st_size, state.st_mtime_ns


def _file(key: str, settings: Settings) -> Path:
    return cache_files.file_of(key, cache_files.VERDICTS, settings.source.cache_dir)
