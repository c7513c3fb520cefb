"""Runs what findings say, under schedules made for their witnesses, until it is seen."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import prod
from random import Random
from typing import TypeAlias

from hgrd.findings.model import (
    CONFIRMED,
    BarrierWitness,
    Confidence,
    Divergence,
    DivergenceRule,
    Finding,
    KernelReport,
    Witness,
)
from tests.fuzz.case import Case
from tests.fuzz.hosts import INPUTS, LargeError, Launch, Most, RefusedError
from tests.fuzz.models import Models
from tests.fuzz.oracle import MeaninglessError, Pair, Seen, Subjects, run, run_model, starves
from tests.fuzz.schedules import aimed, in_turn
from tests.fuzz.tally import Failure, Left, Tally
from tests.fuzz.witnesses import ELEMENT, aim_of, contents_of, is_large, level_of, pair_of, words

_AIMED = 20  # runs under schedules for the witness, before those by chance
_REPLAYS, _TALKING_REPLAYS = 30, 60
_MOST_REPLAYS = 900  # of races that are said to be definite, where threads talk
_MEANINGLESS = 8  # runs, and none with a meaning: no more are tried
_STEPS_EACH = 6  # where threads do not talk, one run in so many goes by steps
_FEW = 40  # threads of such a run
_GUESSES, _LAUNCHES = 6_000, 30  # of inputs that a witness leaves open: tried, and launches found with them
_WIDE = 40  # of an input, now and then
_MOST = Most(1 << 16, 1 << 10)
_OPEN = 1 << 13  # elements of arrays that no host code allocates
_AIMED_AT_MODEL = 2  # schedules for each choice of what a model leaves open
_MANY_THREADS, _LARGE_RUNS, _LARGE_MODELS = 256, 6, 3  # more threads: so many runs
_LOCAL = re.compile(r"(x|z|v|k|l|two(\.\w+)?|l\[\d\]|\w+\[\]|vote)('\d+)?$")  # variables behind loops, reads, votes
_ROUND = "s.iteration#"  # of the host's loop, which launches once in each
_ARRAYS = ("a", "w", "in", "s", "q")  # whose elements can be given
_SHARED = ("s[]", "q[]", "m[]", "r[]")  # values of elements, as a witness names them

_SURE = (Confidence.DEFINITE, Confidence.CONFIRMED)
_Open: TypeAlias = Counter[Left | None]
"""Runs that have not shown a race, by why: None where nothing stands in the way."""


@dataclass
class Replays:
    """`seen` is what runs have shown before."""

    subjects: Subjects
    case: Case
    seen: Seen
    random: Random
    tally: Tally
    models: Models

    def findings(self, report: KernelReport, *, divergent: bool, narrow: bool) -> Iterator[Failure]:
        """`divergent`: some barrier is; `narrow`: atomics race for the scope they have."""
        for finding in report.findings:
            pair, level = pair_of(finding), level_of(finding.witness)
            if level in self.seen.levels.get(pair, ()):
                self.tally.replayed += 1
            elif not finding.same_value:
                yield from self._finding(finding, divergent=divergent, narrow=narrow)

    def _finding(self, finding: Finding, *, divergent: bool, narrow: bool) -> Iterator[Failure]:
        meant = () if is_large(finding.witness, self.case) else self._launches(finding.witness)
        if meant is None:
            yield Failure("refused", f"no such launch: {words(pair_of(finding))}: {finding.witness}")
            return
        if not meant:
            self.tally.left[Left.LARGE] += 1
            return
        several = prod(finding.witness.grid_dim) > 1
        sure = finding.confidence in _SURE and not (narrow and several)
        open_, pairs = self._run(finding, meant, sure=sure)
        if open_ is None:
            self.tally.replayed += 1
            return
        left = self._left(finding, open_, pairs, divergent=divergent, scopes=narrow and several)
        if left is not None:
            self.tally.left[left] += 1
            return
        kind = "not replayed" if finding.confidence in _SURE else "some contents not replayed"
        told = f"{words(pair_of(finding))}: {finding.confidence.value}: {finding.witness}"
        yield Failure(kind, f"at {level_of(finding.witness).value}: {told}")

    def _run(self, finding: Finding, meant: tuple[Launch, ...], *, sure: bool) -> tuple[_Open | None, set[Pair]]:
        """None if a run shows the race, else what the runs came to; and the pairs that raced in them."""
        open_, pairs = self._run_by_chance(finding, meant, sure=sure)
        if open_ is None or self._modelled(finding, lambda seen: _shows(finding, seen)):
            return None, pairs
        return open_, pairs

    def _modelled(self, finding: Finding | Divergence, shows: Callable[[Seen], bool]) -> bool:
        """Whether runs of the solver's model show a finding, on the interpreter that shares no code with replays."""
        aim, done = aim_of(finding.witness), 0
        variables = finding.confidence not in _SURE  # what is definite needs none to begin with another value
        for model in self.models.of(self.case, self.subjects.executable(self.case), finding):
            schedules = (in_turn(model.ahead), *(aimed(self.random, aim) for _ in range(_AIMED_AT_MODEL)))
            for schedule in schedules[: 1 if model.launch.threads > _MANY_THREADS else None]:
                try:
                    seen = run_model(self.subjects, self.case, model, schedule, aim, variables=variables)
                except MeaninglessError:
                    continue
                if shows(seen):
                    return True
            done += 1
            if model.launch.threads > _MANY_THREADS and done >= _LARGE_MODELS:
                return False
        return False

    def _run_by_chance(
        self, finding: Finding, meant: tuple[Launch, ...], *, sure: bool
    ) -> tuple[_Open | None, set[Pair]]:
        aim = aim_of(finding.witness)
        contents = contents_of(finding.witness)
        pairs: set[Pair] = set()
        open_: _Open = Counter()
        cut = False
        for n in range(self._most(finding, sure=sure)):
            launch = self.random.choice(meant)
            large = launch.threads > _MANY_THREADS
            if large and n >= _LARGE_RUNS:
                break
            steps = n % _STEPS_EACH == _STEPS_EACH - 1 and launch.threads <= _FEW
            steps |= cut and n % 2 > 0 and launch.threads <= _MANY_THREADS
            to = aim if n < _AIMED or large else None
            try:
                again = run(self.subjects, self.case, launch, self.random, contents, to, steps=steps)
            except MeaninglessError:
                open_[Left.MEANINGLESS] += 1
                if open_[Left.MEANINGLESS] >= _MEANINGLESS and not open_[None]:
                    break
                continue
            if _shows(finding, again):
                return None, pairs
            cut = cut or again.cut
            open_[Left.MEANINGLESS if again.cut else Left.DIVERGENT if again.divergences else None] += 1
            pairs |= again.levels.keys()
        return open_, pairs

    def _most(self, finding: Finding, *, sure: bool) -> int:
        if not sure and self._why_not(finding) is not None:
            return _AIMED
        if not self.case.talks or finding.replay == CONFIRMED:
            return _REPLAYS
        return _MOST_REPLAYS if sure else _TALKING_REPLAYS

    def _left(self, finding: Finding, open_: _Open, pairs: set[Pair], *, divergent: bool, scopes: bool) -> Left | None:
        if not open_[None] and open_[Left.MEANINGLESS]:  # nothing can be said
            return Left.MEANINGLESS
        if finding.replay == CONFIRMED:
            return Left.OWN_REPLAY
        left = Left.DIVERGENT if divergent or not open_[None] else self._why_not(finding)
        if left is not None:
            return left
        if scopes:
            return Left.SCOPES
        if self.case.talks and pair_of(finding) in pairs | self.seen.levels.keys():
            return Left.OTHER_LEVEL
        return Left.AWAITED if finding.awaits and finding.confidence in _SURE else None

    def _why_not(self, finding: Finding) -> Left | None:
        witness = finding.witness
        if finding.confidence in _SURE:
            return None
        if not all((m := ELEMENT.match(k)) and m[1] in _ARRAYS for k, _ in witness.contents):
            return Left.SHARED_CONTENTS
        names = [name for end in (witness.first, witness.second) for name, _ in end.locals]
        if any(name in _SHARED for name in names):
            return Left.SHARED_CONTENTS
        if any(map(_LOCAL.match, names)):
            return Left.VALUES
        if finding.confidence is Confidence.DATA_DEPENDENT and not witness.contents:
            return Left.VALUES
        text = self.case.text()
        first = self.subjects.kernel(self.case).span.line
        tests = {n for n, line in enumerate(text.splitlines(), first) if "modff(" in line}
        if not tests.isdisjoint((finding.first.span.line, finding.second.span.line)):
            return Left.FLOATS
        if self.case.talks or "= atomic" in text or ("atomic" in text and "__threadfence" in text):
            return Left.STATE
        return None

    def _launches(self, witness: Witness | BarrierWitness) -> tuple[Launch, ...] | None:
        """Launches that a witness can mean: none where they are too large, None where there is none."""
        try:
            return tuple(self._meant(witness)) or None
        except LargeError:
            return ()

    def _meant(self, witness: Witness | BarrierWitness) -> Iterator[Launch]:
        """The launches that a witness can mean: with its inputs, and others where it does not care."""
        given = dict(witness.inputs)
        (*grid, layers), (*block, deep) = witness.grid_dim, witness.block_dim
        if self.case.host is None:
            n, u, c = (given.get(p, self.random.randint(0, 5)) for p in ("n", "u", "c"))
            yield Launch((grid[0], grid[1]), (block[0], block[1]), n, u, c, (_OPEN, _OPEN, _OPEN), deep, layers)
            return
        found, large = 0, False
        for n in range(_GUESSES if any(p not in given for p in INPUTS) else 1):
            most = 9 if n % 2 else _WIDE
            try:
                inputs = {p: given.get(p, self.random.randint(-2, most)) for p in INPUTS}
                launches = self.case.launched(inputs, _MOST)
            except LargeError:
                large = True
                continue
            except RefusedError:
                continue
            at = given.get(_ROUND)
            for x in launches if at is None else launches[at : at + 1]:
                if x.extents == (witness.grid_dim, witness.block_dim):
                    found += 1
                    yield x
            if found >= _LAUNCHES:
                return
        if large and not found:
            raise LargeError

    # ------------------------------------------------------------ barriers

    def divergences(self, report: KernelReport) -> None:
        for divergence in report.divergences:
            if self._has_diverged(self.seen, divergence) or self._shown(divergence):
                self.tally.replayed += 1
            elif divergence.replay == CONFIRMED:
                self.tally.left[Left.OWN_REPLAY] += 1
            else:
                self.tally.left[Left.LARGE if is_large(divergence.witness, self.case) else Left.ARRIVED] += 1

    def _has_diverged(self, seen: Seen, divergence: Divergence) -> bool:
        line = divergence.span.line
        if divergence.rule is not DivergenceRule.LIVELOCK and line in seen.exited:
            return True
        return any(line in lines for lines in seen.divergences)

    def _shown(self, divergence: Divergence) -> bool:
        witness = divergence.witness
        meant = () if is_large(witness, self.case) else self._launches(witness)
        contents, aim = contents_of(witness), aim_of(witness)
        for n in range(_AIMED if meant else 0):
            assert meant
            launch = self.random.choice(meant)
            if launch.threads > _MANY_THREADS and n >= _LARGE_RUNS:
                break
            try:
                if divergence.rule is DivergenceRule.LIVELOCK:
                    to = aim[:: 1 - 2 * (n % 2)]
                    where = divergence.span
                    if starves(self.subjects, self.case, launch, self.random, contents, (to[0], to[1]), where):
                        return True
                    continue
                again = run(self.subjects, self.case, launch, self.random, contents, aim)
            except MeaninglessError:
                continue
            if self._has_diverged(again, divergence):
                return True
        return self._modelled(divergence, lambda seen: self._has_diverged(seen, divergence))


def _shows(finding: Finding, seen: Seen) -> bool:
    return level_of(finding.witness) in seen.levels.get(pair_of(finding), ())
