"""What a campaign has compared, what has failed, and what was left out and why."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import Enum


class Left(Enum):
    """What is not compared, and why.

    A race or divergence counts as seen where a run here shows it: one at random, one of its witness, or one by steps of
    the model that the solver has found.  Only what none of them shows is left out.  Races that are said to be definite
    are left out for OWN_REPLAY, LARGE, DIVERGENT, SCOPES and AWAITED alone, or where no run of the witness has a
    meaning.
    """

    OWN_REPLAY = "only the analysis' own replay has seen it; the tests of simulate compare what that runs on"
    GAP = "a part of the kernel was not understood, and the verdict says so: any pair may be missing"
    DIVERGENT = "a barrier is not performed by all together: runs stop there, and what races behind it is not seen"
    ARRIVED = "a barrier diverges or a lock starves by the report, in a state that no schedule for its witness has met"
    OTHER_RACES = "in each run in which it was seen a race that the report has came, too, and changed what threads read"
    VALUES = (
        "the witness names a value that a loop has made, or that is read where the kernel writes, not what makes it"
    )
    FLOATS = "a test of a floating-point number is on the way, which the witness takes to be passed, whatever it says"
    SHARED_CONTENTS = (
        "the witness needs contents of records, rows or __device__ variables, or of shared memory, no matter where"
    )
    STATE = "the race needs a state of locks, flags or counters that schedules by chance hardly meet"
    LAST = "who arrives last stores without a fence: docs/verdicts.md takes that for ordered, runs do not"
    AWAITED = (
        "its threads have waited for others: hgrd reports such a race where its replay confirms it, and only there"
    )
    LARGE = "the witness has too many threads, or the host code too many rounds before its launch, to be run"
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
