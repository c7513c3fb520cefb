"""What a kernel does when it runs: the races and divergences of some schedules, by the small-step interpreter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from typing import TypeAlias

import numpy as np

from hgrd.program.memory import Level
from hgrd.program.program import Program
from hgrd.simulate.access_model import AccessModel
from hgrd.simulate.interleaving import Argument, Execution, Launched, Schedule, at_random, one_after_another
from hgrd.simulate.ordering import Shape
from hgrd.simulate.trace import Site
from tests.fuzz.case import Case
from tests.fuzz.hosts import Launch

End: TypeAlias = tuple[int, str]
"""A source access: the line and the kind."""
Pair: TypeAlias = tuple[End, End, str]
"""Two accesses in order, and the space."""

_TYPES = {"unsigned char": np.uint8, "short": np.int16, "unsigned": np.uint32, "long long": np.int64}
_STEPS = 5_000


class MeaninglessError(Exception):
    """The run is outside the program's meaning, or takes too long."""


@dataclass
class Seen:
    """By pair the levels at which it raced; `differs`: those that were not two writes of one value.

    `divergences` are the lines of barriers that not all threads came to.
    """

    levels: dict[Pair, set[Level]] = field(default_factory=dict[Pair, "set[Level]"])
    differs: set[Pair] = field(default_factory=set[Pair])
    divergences: set[int] = field(default_factory=set[int])
    threads: dict[tuple[Pair, Level], Launch] = field(default_factory=dict[tuple[Pair, Level], Launch])

    def add(self, other: Seen) -> None:
        for pair, levels in other.levels.items():
            self.levels.setdefault(pair, set()).update(levels)
        self.differs |= other.differs
        self.divergences |= other.divergences
        for key, launch in other.threads.items():
            self.threads.setdefault(key, launch)


def run(
    program: Program, case: Case, launch: Launch, random: Random, contents: Mapping[tuple[str, int], int] | None = None
) -> Seen:
    """One run, on contents at random.  Raises MeaninglessError."""
    kernel = next(k for k in program.kernels() if k.ref.name == case.name)
    launched = Launched(
        program, kernel, (*launch.grid, 1), (*launch.block, 1), _arguments(case, launch, random, contents)
    )
    model = AccessModel(Shape(launched.threads_per_block, launched.blocks))
    try:
        execution = Execution(launched, model, patience=400)
    except (ValueError, OverflowError) as error:
        raise MeaninglessError(str(error)) from error
    schedule = one_after_another if not case.talks else _schedule(random)
    steps = 0
    while ready := execution.ready():
        steps += 1
        if steps > _STEPS:
            raise MeaninglessError("it takes too long")
        execution.step(schedule(ready))
    if execution.fault:
        raise MeaninglessError(execution.fault)
    seen = Seen()
    for divergence in (*execution.divergences, *model.divergences):
        seen.divergences.add(divergence.barrier.line)
    if seen.divergences:
        return seen
    for race in model.races():
        one, two = (execution.sites.sites[n] for n in (race.first, race.second))
        if one.volatile and two.volatile and one.kind is not two.kind:
            continue  # docs/verdicts.md: a volatile write and a loop that waits for it need no order
        ends = sorted(_end(execution.sites.sites[n]) for n in (race.first, race.second))
        pair = (ends[0], ends[1], race.space.value)
        seen.levels.setdefault(pair, set()).update(race.levels)
        for level in race.levels:
            seen.threads.setdefault((pair, level), launch)
        if not race.same_value:
            seen.differs.add(pair)
    return seen


def _schedule(random: Random) -> Schedule:
    """At random, or with a favoured thread that changes now and then."""
    seed = random.randrange(1 << 30)
    if random.random() < 0.5:
        return at_random(seed)
    chance = Random(seed)
    rank: list[float] = []

    def choose(ready):
        if not rank or chance.random() < 0.03:
            rank[:] = [chance.random() for _ in range(256)]
        return max(ready, key=lambda i: rank[i % 256])

    return choose


def _end(site: Site) -> End:
    return site.span.line, site.kind.value


def _arguments(
    case: Case, launch: Launch, random: Random, contents: Mapping[tuple[str, int], int] | None
) -> tuple[Argument, ...]:
    arrays: list[Argument] = []
    for name, size, dtype in zip(("a", "w", "in"), launch.sizes, (np.int32, _TYPES[case.wide], np.int32), strict=True):
        top = random.choice((1, 3, 40))
        values = np.array([random.randrange(top) for _ in range(max(size, 0))], dtype)
        for (array, at), value in (contents or {}).items():
            if array == name and 0 <= at < len(values):
                values[at] = value
        arrays.append(values)
    c = launch.c & 0xFFFF
    return (*arrays, launch.n, launch.u & 0xFFFFFFFF, c - (1 << 16) if c >> 15 else c)
