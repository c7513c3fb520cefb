"""Compares a report with what runs have shown: what it excludes must not happen, what it says must."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from math import prod
from random import Random

from hgrd.cuda.memory_model import AccessKind, Level
from hgrd.findings.model import (
    CONFIRMED,
    Confidence,
    Finding,
    KernelReport,
    LaunchReport,
    OpenPair,
    Outcome,
    Witness,
)
from tests.fuzz.case import Case
from tests.fuzz.hosts import INPUTS, LargeError, Launch, RefusedError
from tests.fuzz.oracle import Contents, MeaninglessError, Pair, Seen, Subjects, run

_RUNS, _MANY, _RUNS_OF_MANY = 3, 12, 1  # of kernels that talk, with more threads than that fewer
_REPLAYS, _TALKING_REPLAYS = 30, 60
_MOST_REPLAYS = 900  # of races that are said to be definite, where threads talk
_MEANINGLESS = 8  # runs, and none with a meaning: no more are tried
_MOST_THREADS = 200
_GUESSES, _LAUNCHES = 6_000, 30  # of inputs that a witness leaves open: tried, and launches found with them
_UNFENCED = re.compile(r"atomicAdd\(&arrived, 1u\);\s*if \(v == [^{]*\{\s*(?!__threadfence)")
_ELEMENT = re.compile(r"(\w+)\[(-?\d+)\]$")
_LOCAL = re.compile(r"(x|z|v|k|l|two(\.\w+)?|l\[\d\]|\w+\[\]|vote)('\d+)?$")  # variables behind loops, reads, votes
_ROUND = "s.iteration#"  # of the host's loop, which launches once in each
_ARRAYS = ("a", "w", "in", "s", "q")  # whose elements can be given
_SHARED = ("s[]", "q[]", "m[]", "r[]")  # values of elements, as a witness names them


class Left(Enum):
    """What is not compared, and why.

    A race or divergence counts as seen where a run here shows it, or the analysis' own replay of its witness has: what
    that runs on is compared to its oracle in tests/simulate.  Runs of the witness come first, and only what none of
    them shows is left out.  Races that are said to be definite are left out for LARGE, DIVERGENT, SCOPES and AWAITED
    alone, or where no run of the witness has a meaning.
    """

    GAP = "a part of the kernel was not understood, and the verdict says so: any pair may be missing"
    DIVERGENT = "a barrier is not performed by all together: runs stop there, and what races behind it is not seen"
    ARRIVED = "a barrier diverges by the report: runs count threads that end as arrived, and stop where others hang"
    OTHER_RACES = "in each run in which it was seen a race that the report has came, too, and changed what threads read"
    VALUES = (
        "the witness names a value that a loop has made, or that is read where the kernel writes, not what makes it"
    )
    SHARED_CONTENTS = (
        "the witness needs contents of records, rows or __device__ variables, or of shared memory, no matter where"
    )
    STATE = "the race needs a state of locks, flags or counters that schedules by chance hardly meet"
    LAST = "who arrives last stores without a fence: docs/verdicts.md takes that for ordered, runs do not"
    AWAITED = (
        "its threads have waited for others: hgrd reports such a race where its replay confirms it, and only there"
    )
    LARGE = "the witness has too many threads, or numbers too large, to be run"
    MEANINGLESS = "the witness runs out of bounds or for too long"
    SCOPES = "several blocks use a lock or flag at the scope of a block: in runs every atomic is one for all"
    OTHER_LEVEL = "a race was seen, but not at the level of the witness; the others have no witness of their own"


@dataclass(frozen=True, slots=True)
class Failure:
    """`kind`: "missed", "missed note", "missed divergence", "not the same value", "not replayed" (of a definite race),
    "some contents not replayed" (of another one), "refused", "internal error".
    """

    kind: str
    text: str


@dataclass
class Tally:
    """What was compared."""

    seeds: int = 0
    kernels: int = 0
    meaningless: int = 0
    safe: int = 0
    race: int = 0
    unknown: int = 0
    pairs: int = 0
    runs: int = 0
    replayed: int = 0
    incomplete: int = 0  # kernels for which something was left out
    left: Counter[Left] = field(default_factory=Counter[Left])

    def __str__(self) -> str:
        counts = ", ".join(f"{n} {key}" for key, n in vars(self).items() if key != "left")
        return "; ".join((counts, *(f"left: {n} {why.name}" for why, n in self.left.most_common())))


def observe(subjects: Subjects, case: Case, random: Random, tally: Tally, launches: int = 2) -> Seen | None:
    """Some runs of a case together; None if it has no meaning at all."""
    together = Seen()
    done = 0
    for launch in case.launches(random, launches):
        for _ in range(_runs(case, launch)):
            try:
                together.add(run(subjects, case, launch, random))
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
    subjects: Subjects, case: Case, report: KernelReport, seen: Seen, random: Random, tally: Tally
) -> list[Failure]:
    """Everything that is wrong with a report."""
    tally.pairs += sum(x.pairs for x in report.launches)
    internal = [p for x in report.launches for p in x.open_pairs if p.reason.startswith("internal error")]
    failures = [Failure("internal error", p.reason) for p in internal[:1]]
    claims = Claims(report)
    unfenced = _UNFENCED.search(case.text()) is not None
    failures += _missed(claims, report, seen, tally, unfenced=unfenced)
    failures += _parted(claims, report, seen, tally)
    replays = _Replays(subjects, case, seen, random, tally)
    replays.divergences(report)
    failures += replays.findings(report, claims)
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

    def upsetting(self, *, differs: bool) -> frozenset[Pair]:
        """Races that are said to happen and change what is stored after them, or (`differs`) where.

        The analysis takes what two threads read at one place to be one value, unless a race comes before.
        """
        races = (pair for pair, same in self.same.items() if not same and pair not in self.open)
        return frozenset(pair for pair in races if not differs or not _are_writes(pair))

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
        elif missing and unfenced and _are_writes(pair):
            tally.left[Left.LAST] += 1
        elif missing:
            where = {seen.launches[pair, level] for level in missing}
            kind = "missed" if pair in seen.differs else "missed note"
            verdict = report.outcome.value
            yield Failure(kind, f"{verdict}: {_words(pair)} at {sorted(x.value for x in missing)}; {where}")
        elif pair in seen.differs and claims.same.get(pair) and _are_writes(pair):
            if seen.never_without(pair, claims.upsetting(differs=False), differing=True):
                tally.left[Left.OTHER_RACES] += 1
            else:
                yield Failure("not the same value", _words(pair))


def _parted(claims: Claims, report: KernelReport, seen: Seen, tally: Tally) -> Iterator[Failure]:
    """Barriers that a run has shown diverge where the report says that none does."""
    for lines in sorted(map(sorted, seen.divergences)):
        if claims.barriers.intersection(lines):
            continue  # threads wait at others in vain, too, for those that this one holds up
        if claims.gap:
            tally.left[Left.GAP] += 1
        else:
            yield Failure("missed divergence", f"lines {lines}")


@dataclass
class _Replays:
    """Runs what findings say, until it is seen."""

    subjects: Subjects
    case: Case
    seen: Seen
    random: Random
    tally: Tally

    def findings(self, report: KernelReport, claims: Claims) -> Iterator[Failure]:
        for finding in report.findings:
            pair, level = pair_of(finding), level_of(finding.witness)
            if level in self.seen.levels.get(pair, ()) or finding.replay == CONFIRMED:
                self.tally.replayed += 1
            elif not finding.same_value:
                yield from self._finding(finding, claims, pair, level)

    def _finding(self, finding: Finding, claims: Claims, pair: Pair, level: Level) -> Iterator[Failure]:
        if _is_large(finding.witness):
            self.tally.left[Left.LARGE] += 1
            return
        words = f"{_words(pair)}: {finding.confidence.value}: {finding.witness}"
        try:
            meant = list(self._meant(finding.witness.inputs, finding.witness))
        except LargeError:
            self.tally.left[Left.LARGE] += 1
            return
        if not meant:
            yield Failure("refused", f"no such launch: {words}")
            return
        contents = contents_of(finding.witness)
        pairs: set[Pair] = set()
        runs: Counter[Left | None] = Counter()
        several = prod(finding.witness.grid_dim) > 1
        sure = finding.confidence is Confidence.DEFINITE and not (claims.narrow and several)
        talking = _MOST_REPLAYS if sure else _TALKING_REPLAYS
        for _ in range(talking if self.case.talks else _REPLAYS):
            try:
                again = run(self.subjects, self.case, self.random.choice(meant), self.random, contents)
            except MeaninglessError:
                runs[Left.MEANINGLESS] += 1
                if runs[Left.MEANINGLESS] >= _MEANINGLESS and not runs[None]:
                    break
                continue
            if level in again.levels.get(pair, ()):
                self.tally.replayed += 1
                return
            runs[Left.DIVERGENT if again.divergences else None] += 1
            pairs |= again.levels.keys()
        left = Left.DIVERGENT if claims.divergent else self._why_not(finding)
        if left is not None:
            self.tally.left[left] += 1
            return
        if not runs[None]:  # nothing can be said
            self.tally.left[Left.DIVERGENT if runs[Left.DIVERGENT] else Left.MEANINGLESS] += 1
            return
        if claims.narrow and several:
            self.tally.left[Left.SCOPES] += 1
            return
        if self.case.talks and pair in pairs | self.seen.levels.keys():
            self.tally.left[Left.OTHER_LEVEL] += 1
            return
        if finding.awaits and finding.confidence is Confidence.DEFINITE:
            self.tally.left[Left.AWAITED] += 1
            return
        kind = "not replayed" if finding.confidence is Confidence.DEFINITE else "some contents not replayed"
        yield Failure(kind, f"at {level.value}: {words}")

    def _why_not(self, finding: Finding) -> Left | None:
        witness = finding.witness
        if finding.confidence is Confidence.DEFINITE:
            return None
        if not all((m := _ELEMENT.match(k)) and m[1] in _ARRAYS for k, _ in witness.contents):
            return Left.SHARED_CONTENTS
        names = [name for end in (witness.first, witness.second) for name, _ in end.locals]
        if any(name in _SHARED for name in names):
            return Left.SHARED_CONTENTS
        if any(map(_LOCAL.match, names)):
            return Left.VALUES
        if finding.confidence is Confidence.DATA_DEPENDENT and not witness.contents:
            return Left.VALUES
        text = self.case.text()
        if self.case.talks or "= atomic" in text or ("atomic" in text and "__threadfence" in text):
            return Left.STATE
        return None

    def _meant(self, inputs: tuple[tuple[str, int], ...], witness: Witness) -> Iterator[Launch]:
        """The launches that a witness can mean: with its inputs, and others where it does not care."""
        given = dict(inputs)
        grid, block = witness.grid_dim[:2], witness.block_dim[:2]
        if self.case.host is None:
            n, u, c = (given.get(p, self.random.randint(0, 5)) for p in ("n", "u", "c"))
            yield Launch(grid, block, n, u, c, (1024, 1024, 1024))
            return
        found = 0
        for _ in range(_GUESSES if any(p not in given for p in INPUTS) else 1):
            try:
                launches = self.case.launched({p: given.get(p, self.random.randint(-2, 9)) for p in INPUTS})
            except LargeError:
                raise
            except RefusedError:
                continue
            at = given.get(_ROUND)
            for x in launches if at is None else launches[at : at + 1]:
                if (x.grid, x.block) == (grid, block):
                    found += 1
                    yield x
            if found >= _LAUNCHES:
                return

    # ------------------------------------------------------------ barriers

    def divergences(self, report: KernelReport) -> None:
        for divergence in report.divergences:
            seen = any(divergence.span.line in lines for lines in self.seen.divergences)
            if seen or divergence.replay == CONFIRMED:
                self.tally.replayed += 1
            else:
                self.tally.left[Left.ARRIVED] += 1


def contents_of(witness: Witness) -> Contents:
    """The elements of arrays that a witness needs."""
    return {(m[1], int(m[2])): v for k, v in witness.contents if (m := _ELEMENT.match(k))}


def _are_writes(pair: Pair) -> bool:
    return all(kind == "write" for _, kind in pair[:2])


def level_of(witness: Witness) -> Level:
    """The level at which the two threads of a witness meet."""
    one, two = witness.first, witness.second
    if one.block != two.block:
        return Level.INTER_BLOCK
    x, y, _ = witness.block_dim
    warps = {(t.thread[0] + x * (t.thread[1] + y * t.thread[2])) // 32 for t in (one, two)}
    return Level.INTRA_WARP if len(warps) == 1 else Level.INTRA_BLOCK


def _is_large(witness: Witness) -> bool:
    x, y, z = witness.grid_dim
    bx, by, bz = witness.block_dim
    threads = x * y * z * bx * by * bz
    return threads > _MOST_THREADS or z > 1 or bz > 1 or any(abs(v) > 1000 for _, v in witness.inputs)


def pair_of(x: Finding | OpenPair) -> Pair:
    assert x.first is not None and x.second is not None and x.space is not None
    one, two = sorted((s.span.line, s.kind.value) for s in (x.first, x.second))
    return one, two, x.space.value


def _words(pair: Pair) -> str:
    (one, first), (two, second), space = pair
    return f"{first} {one}, {second} {two}; {space}"
