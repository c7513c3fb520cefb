"""Preconditions across findings: one that is found for a race is tried for all other races of the kernel at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from time import perf_counter
from typing import TypeVar

from hgrd.races.preconditions.exclusion import RacyPair
from hgrd.races.preconditions.search import precondition
from hgrd.solve.decide import Decider
from hgrd.solve.effort import Effort

_EFFORT = Effort(queries=1200, units=40_000_000)
_EFFORT_WITH_KNOWN = Effort(queries=2400, units=80_000_000)  # limit for trying the conditions known from other races

Key = TypeVar("Key")


def preconditions_of(
    keys: Sequence[Key],
    racy_pair: Callable[[Key], RacyPair],
    decide: Decider,
    deadline: float,
    elsewhere: Set[str] = frozenset(),
) -> dict[Key, str]:
    """The preconditions of the races that have one, as C; `deadline` is a value of perf_counter().

    Those of the kernel's races `elsewhere`, at other launches, come first, since one assert must hold at all launches.
    A condition that excludes one race often excludes many: it is tried on all races before the search goes on.
    """
    found: dict[Key, str] = {}
    races: dict[Key, RacyPair] = {}
    begin = decide.spent

    def condition(key: Key, limit: Effort, only: str | None = None) -> str:
        if perf_counter() > deadline or decide.spent.since(begin).exceeds(limit):
            return ""
        if key not in races:
            races[key] = racy_pair(key)
        return precondition(races[key], decide, deadline, only=only, first=elsewhere)

    for index, key in enumerate(keys):
        text = "" if key in found else condition(key, _EFFORT)
        if text:
            others = [k for k in keys[index + 1 :] if k not in found]
            found |= {key: text} | {k: text for k in others if condition(k, _EFFORT_WITH_KNOWN, text)}
    return found
