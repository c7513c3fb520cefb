"""Makes kernels, runs them, analyses them, and compares; cuts failing ones down."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from time import perf_counter

from msgspec.structs import replace

from hgrd.engine.analysis.program import analyze_kernel, follow_host
from hgrd.findings.model import CONFIRMED, Divergence, Finding, KernelReport, LaunchReport, Outcome
from hgrd.findings.options import AnalysisOptions
from hgrd.findings.roll_up import roll_up
from hgrd.program.program import Program
from hgrd.races.results.evidence import BarrierEvidence, Evidence, KernelAtLaunch
from hgrd.simulate.replay.replayer import Replayer
from hgrd.solve.session import Session
from hgrd.source.options import SourceOptions
from hgrd.source.parse import parse_file
from tests.fuzz import spellings
from tests.fuzz.case import Case, make
from tests.fuzz.devices import HELPERS
from tests.fuzz.judging import compare, observe
from tests.fuzz.models import Models
from tests.fuzz.oracle import Seen, Subjects, is_meaningful
from tests.fuzz.tally import Failure, Tally
from tests.fuzz.witnesses import level_of, pair_of

HEAD = "#include <cassert>\n#include <cstdlib>\n" + HELPERS + spellings.HELPERS
_SECONDS = 3.0
_HOST_SECONDS = 1e4
_REPLAY_ALL = 8
_ALL_REPLAYS = 1 << 60  # work: each kernel has its own
_MORE = 4  # launches of a kernel that is said to be safe


@dataclass(frozen=True, slots=True)
class Failed:
    """`line`: where the case begins in the file that failures speak of."""

    case: Case
    failures: tuple[Failure, ...]
    line: int


@dataclass(frozen=True, slots=True)
class Unseen:
    """Replays of what runs have not shown yet; of one kernel in a few those of all witnesses.

    `models` are those of the witnesses that it was asked for.
    """

    seen: Mapping[str, Seen]
    replayer: Replayer
    models: Models = field(default_factory=Models)

    def race(self, at: KernelAtLaunch, finding: Finding, evidence: Evidence, /) -> Finding:
        name = at.kernel.ref.name
        levels = self.seen[name].levels.get(pair_of(finding), ())
        if level_of(finding.witness) in levels and int(name[1:]) % _REPLAY_ALL:
            return replace(finding, replay=CONFIRMED)
        replayed = self.replayer.race(at, finding, evidence)
        self.models.keep(at, replayed, evidence)
        return replayed

    def barrier(self, at: KernelAtLaunch, finding: Divergence, evidence: BarrierEvidence, /) -> Divergence:
        replayed = self.replayer.barrier(at, finding, evidence)
        self.models.keep_barrier(at, replayed, evidence)
        return replayed


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
    """The cases of one file that fail; those that nothing launches are not even parsed."""
    launched = [case for case in cases if case.launches(Random(case.seed), 1)]
    tally.meaningless += len(cases) - len(launched)
    cases = launched
    if not cases:
        return
    program, _ = parsed(cases)
    subjects = Subjects(program)
    seen: dict[str, Seen] = {}
    for case in cases:
        runs = observe(subjects, case, Random(case.seed), tally)
        if runs is None:
            tally.meaningless += 1
        else:
            seen[case.name] = runs
    if not seen:
        return
    options = AnalysisOptions(kernels=tuple(seen), time_limit=_SECONDS)
    replays = Unseen(seen, Replayer(altogether=_ALL_REPLAYS))
    reports = {k.kernel: k for k in analyzed(program, options, replays)}
    line = HEAD.count("\n") + 1
    for case in cases:
        if case.name in seen and (report := reports.get(case.name)) is not None:
            _count(report, tally)
            if report.outcome is Outcome.SAFE:
                more = observe(subjects, case, Random(~case.seed), tally, _MORE)
                seen[case.name].add(more or Seen())
            left = tally.left.total()
            failures = compare(subjects, case, report, seen[case.name], Random(case.seed), tally, replays.models)
            tally.incomplete += tally.left.total() > left
            if failures and is_meaningful(subjects, case, Random(case.seed)):
                yield Failed(case, tuple(failures), line)
        line += case.text().count("\n")


def analyzed(program: Program, options: AnalysisOptions, replays: Unseen) -> tuple[KernelReport, ...]:
    """What the analysis says of each kernel; all host code is followed, however many cases the file has."""
    hosted = follow_host((program,), replace(options, time_limit=_HOST_SECONDS, program_limit=_HOST_SECONDS))
    results: list[LaunchReport] = []
    with Session() as session:
        for found in hosted.kernels:
            end = perf_counter() + options.time_limit * len(found.launches)
            results += (r.report for r in analyze_kernel(hosted, found, session, options, end, replays))
    return roll_up(results)


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
