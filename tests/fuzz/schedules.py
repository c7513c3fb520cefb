"""Who makes the next step: by chance, or as a witness has it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from random import Random

from hgrd.simulate.interleaving.execution import Schedule, at_random

_CHANGES = 0.03
_PATIENCE, _OTHERS = 40, 12  # steps of favoured threads in a row, and then steps of any


def by_chance(random: Random) -> Schedule:
    """At random, or with a favoured thread that changes now and then."""
    seed = random.randrange(1 << 30)
    if random.random() < 0.5:
        return at_random(seed)
    chance = Random(seed)
    rank: list[float] = []

    def choose(ready: Sequence[int]) -> int:
        if not rank or chance.random() < _CHANGES:
            rank[:] = [chance.random() for _ in range(256)]
        return max(ready, key=lambda i: rank[i % 256])

    return choose


def aimed(random: Random, aim: tuple[int, int]) -> Schedule:
    """The two threads of a witness one after the other, by turns, or behind all others; others where those wait."""
    chance = Random(random.randrange(1 << 30))
    order = chance.choice((aim, aim[::-1], None))
    behind = chance.random() < 0.3
    steps = 0

    def choose(ready: Sequence[int]) -> int:
        nonlocal steps
        steps += 1
        two = [i for i in order or aim if i in ready]
        others = [i for i in ready if i not in aim] if behind or not two else []
        if steps % (_PATIENCE + _OTHERS) > _PATIENCE:
            return chance.choice(ready)
        if others:
            return chance.choice(others)
        return two[0] if order else chance.choice(two)

    return choose


def in_turn(ahead: int | None) -> Schedule:
    """A step of each thread after the other, as in lock-step; one of them before all others, as far as it gets."""
    last = -1

    def choose(ready: Sequence[int]) -> int:
        nonlocal last
        if ahead in ready:
            assert ahead is not None
            return ahead
        at = bisect_right(ready, last)
        last = ready[at if at < len(ready) else 0]
        return last

    return choose
