"""Makes kernels, runs them, analyses them, and compares; cuts failing ones down."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import inf
from pathlib import Path
from random import Random
from time import perf_counter

from msgspec.structs import replace

from hgrd.engine.analysis.program import analyze
from hgrd.engine.analysis.replay import LateReplayer
from hgrd.findings.model import KernelReport, Outcome
from hgrd.findings.options import AnalysisOptions
from hgrd.program.program import Program
from hgrd.source.options import SourceOptions
from hgrd.source.parse import parse_file
from tests.fuzz.case import Case, make
from tests.fuzz.devices import HELPERS
from tests.fuzz.judging import Failure, Tally, compare, observe
from tests.fuzz.oracle import Seen, Subjects, is_meaningful

HEAD = "#include <cassert>\n#include <cstdlib>\n" + HELPERS
_SECONDS = 3.0
_MORE = 4  # launches of a kernel that is said to be safe


@dataclass(frozen=True, slots=True)
class Failed:
    """`line`: where the case begins in the file that failures speak of."""

    case: Case
    failures: tuple[Failure, ...]
    line: int


class CompileError(Exception):
    pass


def parsed(cases: Iterable[Case]) -> tuple[Program, str]:
    text = HEAD + "".join(case.text() for case in cases)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "fuzz.cu"
        file.write_text(text)
        program = parse_file(str(file), SourceOptions())
    errors = [f"{d.span}: {d.message}" for d in program.diagnostics if d.error]
    if errors:
        raise CompileError(errors[0])
    return program, text


def check(cases: list[Case], tally: Tally) -> Iterator[Failed]:
    """The cases of one file that fail."""
    program, _ = parsed(cases)
    subjects = Subjects(program)
    seen = {}
    for case in cases:
        runs = observe(subjects, case, Random(case.seed), tally)
        if runs is None:
            tally.meaningless += 1
        else:
            seen[case.name] = runs
    if not seen:
        return
    options = AnalysisOptions(kernels=tuple(seen), time_limit=_SECONDS)
    reports = {k.kernel: k for k in analyze((program,), options, LateReplayer(inf)).kernels}
    line = HEAD.count("\n") + 1
    for case in cases:
        if case.name in seen and (report := reports.get(case.name)) is not None:
            _count(report, tally)
            if report.outcome is Outcome.SAFE:
                more = observe(subjects, case, Random(~case.seed), tally, _MORE)
                seen[case.name].add(more or Seen())
            left = tally.left.total()
            failures = compare(subjects, case, report, seen[case.name], Random(case.seed), tally)
            tally.incomplete += tally.left.total() > left
            if failures and is_meaningful(subjects, case, Random(case.seed)):
                yield Failed(case, tuple(failures), line)
        line += case.text().count("\n")


def _count(report: KernelReport, tally: Tally) -> None:
    tally.kernels += 1
    tally.safe += report.outcome is Outcome.SAFE
    tally.race += report.outcome is Outcome.RACE
    tally.unknown += report.outcome is Outcome.UNKNOWN


def shrink(failed: Failed, seconds: float) -> Failed:
    """A smaller case that fails in the same way."""
    end = perf_counter() + seconds
    kind = failed.failures[0].kind
    best = failed
    again = True
    while again:
        again = False
        for candidate in best.case.smaller():
            if perf_counter() > end:
                return best
            found = fails(candidate, kind)
            if found is not None:
                best, again = found, True
                break
    return best


def fails(case: Case, kind: str) -> Failed | None:
    try:
        for failed in check([case], Tally()):
            same = tuple(f for f in failed.failures if f.kind == kind)
            if same:
                return Failed(case, same, failed.line)
    except (CompileError, KeyError, ValueError, AssertionError):
        return None
    return None


def campaign(seed: int, count: int, batch: int, tally: Tally) -> Iterator[Failed]:
    """Cases of `count` seeds from `seed` on, `batch` of them in one file."""
    for first in range(seed, seed + count, batch):
        here = range(first, min(first + batch, seed + count))
        yield from check([make(s) for s in here], tally)
        tally.seeds += len(here)


__all__ = ["Failed", "campaign", "check", "fails", "make", "replace", "shrink"]
