"""Compares a report with what runs have shown: what it excludes must not happen, what it says must."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

from hgrd.cuda.memory_model import AccessKind, Level
from hgrd.findings.model import KernelReport, LaunchReport, Outcome
from tests.fuzz.case import Case
from tests.fuzz.hosts import Launch
from tests.fuzz.models import Models
from tests.fuzz.oracle import MeaninglessError, Pair, Seen, Subjects, run
from tests.fuzz.replays import Replays
from tests.fuzz.tally import Failure, Left, Tally
from tests.fuzz.witnesses import are_writes, pair_of, words

_RUNS, _MANY, _RUNS_OF_MANY = 3, 12, 1  # of kernels that talk, with more threads than that fewer
_BY_STEPS = 8  # of so many kernels that do not talk, one runs by steps
_UNFENCED = re.compile(r"atomicAdd\(&arrived, 1u\);\s*if \(v == [^{]*\{\s*(?!__threadfence)")


def observe(subjects: Subjects, case: Case, random: Random, tally: Tally, launches: int = 2) -> Seen | None:
    """Some runs of a case together; None if it has no meaning at all."""
    together = Seen()
    done = 0
    for launch in case.launches(random, launches):
        steps = case.seed % _BY_STEPS == 0 and launch.threads <= _MANY
        for _ in range(_runs(case, launch)):
            try:
                together.add(run(subjects, case, launch, random, steps=steps))
            except MeaninglessError:
                break
            done += 1
    tally.runs += done
    return together if done else None


def _runs(case: Case, launch: Launch) -> int:
    if not case.talks:
        return 1
    return _RUNS if launch.threads <= _MANY else _RUNS_OF_MANY


def compare(
    subjects: Subjects, case: Case, report: KernelReport, seen: Seen, random: Random, tally: Tally, models: Models
) -> list[Failure]:
    """Everything that is wrong with a report; `models` are those of its witnesses."""
    tally.pairs += sum(x.pairs for x in report.launches)
    internal = [p for x in report.launches for p in x.open_pairs if p.reason.startswith("internal error")]
    failures = [Failure("internal error", p.reason) for p in internal[:1]]
    claims = Claims(report)
    unfenced = _UNFENCED.search(case.text()) is not None
    failures += _missed(claims, report, seen, tally, unfenced=unfenced)
    failures += _parted(claims, report, seen, tally)
    replays = Replays(subjects, case, seen, random, tally, models)
    replays.divergences(report)
    failures += replays.findings(report, divergent=claims.divergent, narrow=claims.narrow)
    return failures


class Claims:
    """What a report says can happen: by pair the levels, and the barriers that may diverge.

    `gap`: a part was not understood.  `narrow`: atomics race with each other, for the scope they have.
    """

    def __init__(self, report: KernelReport) -> None:
        self.levels: dict[Pair, set[Level]] = {}
        self.same: dict[Pair, bool] = {}
        self.open: set[Pair] = set()
        self.gap = False
        self.narrow = False
        for launch in report.launches:
            self._take(launch)
        self.barriers = {d.span.line for x in report.launches for d in x.divergences}
        self.barriers |= {b.span.line for x in report.launches for b in x.open_barriers}

    def upsetting(self, *, differs: bool, undecided: bool = False) -> frozenset[Pair]:
        """Races that are said to happen and change what is stored after them, or (`differs`) where.

        The analysis takes what two threads read at one place to be one value, unless a race comes before; `undecided`:
        one that is left open, too.
        """
        races = (pair for pair, same in self.same.items() if not same and (undecided or pair not in self.open))
        return frozenset(pair for pair in races if not differs or not are_writes(pair))

    @property
    def divergent(self) -> bool:
        return bool(self.barriers)

    def _take(self, launch: LaunchReport) -> None:
        for finding in launch.findings:
            self._claim(pair_of(finding), finding.levels, same=finding.same_value)
            self.narrow |= {finding.first.kind, finding.second.kind} == {AccessKind.ATOMIC}
        for open_ in launch.open_pairs:
            if open_.first is None:
                self.gap = True
            else:
                self.open.add(pair_of(open_))
                self._claim(pair_of(open_), open_.levels, same=False)

    def _claim(self, pair: Pair, levels: tuple[Level, ...], *, same: bool) -> None:
        self.levels.setdefault(pair, set()).update(levels)
        self.same[pair] = self.same.get(pair, True) and same


def _missed(claims: Claims, report: KernelReport, seen: Seen, tally: Tally, *, unfenced: bool) -> Iterator[Failure]:
    """Races that a run has shown and the report excludes; `unfenced`: the last one to arrive has no fence."""
    for pair, levels in seen.levels.items():
        missing = levels - claims.levels.get(pair, set())
        if missing and claims.gap and report.outcome is not Outcome.SAFE:
            tally.left[Left.GAP] += 1
        elif missing and seen.never_without(pair, claims.upsetting(differs=pair in seen.differs)):
            tally.left[Left.OTHER_RACES] += 1
        elif missing and unfenced and are_writes(pair):
            tally.left[Left.LAST] += 1
        elif missing:
            where = {seen.launches[pair, level] for level in missing}
            kind = "missed" if pair in seen.differs else "missed note"
            verdict = report.outcome.value
            yield Failure(kind, f"{verdict}: {words(pair)} at {sorted(x.value for x in missing)}; {where}")
        elif pair in seen.differs and claims.same.get(pair) and are_writes(pair):
            if seen.never_without(pair, claims.upsetting(differs=False, undecided=True), differing=True):
                tally.left[Left.OTHER_RACES] += 1
            else:
                yield Failure("not the same value", words(pair))


def _parted(claims: Claims, report: KernelReport, seen: Seen, tally: Tally) -> Iterator[Failure]:
    """Barriers that a run has shown diverge where the report says that none does."""
    for lines in sorted(map(sorted, seen.divergences)):
        if claims.barriers.intersection(lines):
            continue  # threads wait at others in vain, too, for those that this one holds up
        if claims.gap:
            tally.left[Left.GAP] += 1
        else:
            yield Failure("missed divergence", f"lines {lines}")
