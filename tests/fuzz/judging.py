"""Compares a report with what runs have shown: what it excludes must not happen, what it says must."""

from __future__ import annotations

import re
from dataclasses import dataclass
from random import Random

from hgrd.program.memory import Level
from hgrd.program.program import Program
from hgrd.races.findings import Confidence, Finding, KernelReport, OpenPair, Outcome
from tests.fuzz.case import Case
from tests.fuzz.hosts import INPUTS, Launch, RefusedError
from tests.fuzz.oracle import MeaninglessError, Pair, Seen, run

_RUNS = 4
_REPLAYS = 12
_MOST_THREADS = 200
_ELEMENT = re.compile(r"(\w+)\[(-?\d+)\]$")


@dataclass(frozen=True, slots=True)
class Failure:
    """`kind`: "missed", "missed divergence", "not the same value", "not replayed", "refused", "internal error"."""

    kind: str
    text: str


@dataclass
class Tally:
    """What was compared."""

    kernels: int = 0
    meaningless: int = 0
    safe: int = 0
    race: int = 0
    unknown: int = 0
    pairs: int = 0
    replayed: int = 0
    too_large: int = 0
    notes: int = 0
    not_replayed_data: int = 0
    leaning: int = 0
    runs: int = 0

    def add(self, other: Tally) -> None:
        for key, number in vars(other).items():
            setattr(self, key, getattr(self, key) + number)


def observe(program: Program, case: Case, random: Random, tally: Tally) -> Seen | None:
    """Some runs of a case together; None if it has no meaning at all."""
    together = Seen()
    done = 0
    for launch in case.launches(random, 2):
        for _ in range(_RUNS if case.talks else 1):
            try:
                together.add(run(program, case, launch, random))
            except MeaninglessError:
                break
            done += 1
    tally.runs += done
    return together if done else None


def compare(
    program: Program, case: Case, report: KernelReport, seen: Seen, random: Random, tally: Tally
) -> list[Failure]:
    """Everything that is wrong with a report."""
    tally.pairs += sum(x.pairs for x in report.launches)
    internal = [p for x in report.launches for p in x.open_pairs if p.reason.startswith("internal error")]
    failures = [Failure("internal error", p.reason) for p in internal[:1]]
    failures += _soundness(report, seen, tally)
    for finding in () if _parts(report) else report.findings:
        if not finding.same_value:
            failures += _replay(program, case, finding, seen, random, tally)
    return failures


def _parts(report: KernelReport) -> bool:
    """Whether some barrier is not performed by all together: what races around it is then anybody's guess."""
    return any(x.divergences or x.open_barriers for x in report.launches)


def _soundness(report: KernelReport, seen: Seen, tally: Tally) -> list[Failure]:
    claimed: dict[Pair, set[Level]] = {}
    same: dict[Pair, bool] = {}
    for finding in (f for x in report.launches for f in x.findings):
        pair = pair_of(finding)
        claimed.setdefault(pair, set()).update(finding.levels)
        same[pair] = same.get(pair, True) and finding.same_value
    gap = False
    for open_ in (p for x in report.launches for p in x.open_pairs):
        if open_.first is None:
            gap = True
        else:
            claimed.setdefault(pair_of(open_), set()).update(open_.levels)
            same[pair_of(open_)] = False
    leans = any("does not leave" in a.text for x in report.launches for a in x.assumptions)
    failures: list[Failure] = []
    for pair, levels in seen.levels.items():
        missing = levels - claimed.get(pair, set())
        if missing and gap and report.outcome is not Outcome.SAFE:
            continue
        if missing and leans:
            tally.leaning += 1
            kind = "missed (leaning)"
        else:
            kind = "missed"
        if missing and pair not in seen.differs:
            tally.notes += 1
        elif missing:
            where = {seen.threads[pair, level] for level in missing}
            failures.append(Failure(kind, f"{_words(pair)} at {sorted(x.value for x in missing)}; {where}"))
        elif (
            report.outcome is Outcome.SAFE
            and pair in seen.differs
            and same.get(pair)
            and all(kind == "write" for _, kind in pair[:2])
        ):
            failures.append(Failure("not the same value", _words(pair)))
    parted = {d.span.line for x in report.launches for d in x.divergences}
    parted |= {b.span.line for x in report.launches for b in x.open_barriers}
    if not gap and not parted:
        failures += [Failure("missed divergence", f"line {line}") for line in sorted(seen.divergences)]
    return failures


def _replay(program: Program, case: Case, finding: Finding, seen: Seen, random: Random, tally: Tally) -> list[Failure]:
    pair, witness = pair_of(finding), finding.witness
    if pair in seen.levels:
        tally.replayed += 1
        return []
    if finding.confidence is Confidence.DATA_DEPENDENT or not _is_simple(case, finding):
        tally.not_replayed_data += 1
        return []
    given = dict(witness.inputs)
    x, y, z = witness.grid_dim
    bx, by, bz = witness.block_dim
    threads = x * y * z * bx * by * bz
    if threads > _MOST_THREADS or z > 1 or bz > 1 or any(abs(v) > 1000 for v in given.values()):
        tally.too_large += 1
        return []
    contents = {(m[1], int(m[2])): v for k, v in witness.contents if (m := _ELEMENT.match(k))}
    meant = [
        x
        for x in _launches(case, finding, random)
        if (x.grid, x.block) == ((x_ := witness.grid_dim)[:2], witness.block_dim[:2]) or not x_
    ]
    if not meant:
        return [Failure("refused", f"{_words(pair)}: no such launch: {witness}")]
    for _ in range(_REPLAYS * (2 if case.talks else 1)):
        try:
            again = run(program, case, random.choice(meant), random, contents)
        except MeaninglessError:
            tally.meaningless += 1
            return []
        if again.divergences:
            return []
        if pair in again.levels:
            tally.replayed += 1
            return []
    return [Failure("not replayed", f"{_words(pair)}: {finding.confidence.value}: {witness}")]


def _is_simple(case: Case, finding: Finding) -> bool:
    if finding.confidence is not Confidence.DEFINITE:  # it may lean on what only some state of the memory brings about
        names = [name for end in (finding.witness.first, finding.witness.second) for name, _ in end.locals]
        if case.talks or "= atomic" in case.text() or any("[" in name or "(" in name for name in names):
            return False
    return all((m := _ELEMENT.match(k)) and m[1] in ("a", "w", "in") for k, _ in finding.witness.contents)


def _launches(case: Case, finding: Finding, random: Random) -> list[Launch]:
    given = dict(finding.witness.inputs)
    if case.host is None:
        x, y, _ = finding.witness.grid_dim
        bx, by, _ = finding.witness.block_dim
        n, u, c = (given.get(p, random.randint(0, 5)) for p in ("n", "u", "c"))
        return [Launch((x, y), (bx, by), n, u, c, (1024, 1024, 1024))]
    found: list[Launch] = []
    for _ in range(400 if any(p not in given for p in INPUTS) else 1):
        try:
            found += case.launched({p: given.get(p, random.randint(-2, 9)) for p in INPUTS})
        except RefusedError:
            continue
    return found


def pair_of(x: Finding | OpenPair) -> Pair:
    assert x.first is not None and x.second is not None and x.space is not None
    one, two = sorted((s.span.line, s.kind.value) for s in (x.first, x.second))
    return one, two, x.space.value


def _words(pair: Pair) -> str:
    (one, first), (two, second), space = pair
    return f"{first} {one}, {second} {two}; {space}"
