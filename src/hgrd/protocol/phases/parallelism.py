"""Parallel cases: relations between the iterations of two threads whose accesses barriers do not order."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from hgrd.terms import FALSE, Symbol, Term, conj, negate

_MOST_CASES = 64


class Side(Enum):
    FIRST = 1
    SECOND = 2

    @property
    def other(self) -> Side:
        return Side.SECOND if self is Side.FIRST else Side.FIRST


class Same(Struct, frozen=True):
    """Same iteration for both threads."""

    binder: Symbol


class Ahead(Struct, frozen=True):
    """`later` is `by` iterations ahead of the other (`or_more`: at least so many)."""

    binder: Symbol
    later: Side
    by: int = 1
    or_more: bool = False


class At(Struct, frozen=True):
    """`party` is in this iteration (`or_more`: or a later one)."""

    binder: Symbol
    party: Side
    iteration: int = 0
    or_more: bool = False


class Last(Struct, frozen=True):
    """`party` is `by` iterations before the last of `count`, as the other one finds it after the loop.

    1: in the last iteration, 0: in one that breaks out.
    """

    binder: Symbol
    count: Symbol
    party: Side
    by: int = 1
    or_more: bool = False


class Count(Struct, frozen=True):
    """Iterations that the loop had, as `party` finds after it."""

    count: Symbol
    party: Side
    iterations: int = 0


class Fails(Struct, frozen=True):
    """Failing guards: not all of `guards` hold for `party`, in the iterations that `at` is in."""

    guards: tuple[Term, ...]
    party: Side
    at: Side


class Holds(Struct, frozen=True):
    """Holding guards: all of `guards` hold for `party`, in the iterations that it is in."""

    guards: tuple[Term, ...]
    party: Side


class Unnamed(Struct, frozen=True):
    """The warp mask of `holder` does not name the lane of the other."""

    mask: Term
    holder: Side


class Apart(Struct, frozen=True):
    """Different tiles: the two threads have different values of the term."""

    tile: Term


class Differ(Struct, frozen=True):
    """Terms of the first thread and of the second one that are not all equal."""

    first: tuple[Term, ...]
    second: tuple[Term, ...]


Relation: TypeAlias = Same | Ahead | At | Last | Count | Fails | Holds | Unnamed | Apart | Differ


class ParallelCase(Struct, frozen=True):
    """Case in which two accesses may happen in parallel: the relations hold.

    `doubt` says why the two may be ordered nevertheless; "" if they are not.
    """

    relations: tuple[Relation, ...] = ()
    doubt: str = ""

    @property
    def exact(self) -> bool:
        return not self.doubt


ParallelCases: TypeAlias = list[ParallelCase]


def with_(relation: Relation, ways: Iterable[ParallelCase]) -> ParallelCases:
    return [replace(o, relations=(relation, *o.relations)) for o in ways]


def doubted(ways: Iterable[ParallelCase], doubt: str) -> ParallelCases:
    return [replace(o, doubt=o.doubt or doubt) for o in ways]


def product(*parts: ParallelCases) -> ParallelCases:
    """Combinations of cases without contradictory ones; too many are one case with a doubt and no relations."""
    result = [ParallelCase()]
    for part in parts:
        joined = [
            ParallelCase(tuple(dict.fromkeys((*x.relations, *y.relations))), x.doubt or y.doubt)
            for x in result
            for y in part
        ]
        result = list(dict.fromkeys(o for o in joined if _possible(o)))
        if len(result) > _MOST_CASES:
            result = [ParallelCase(doubt="the kernel has too many ways past its barriers")]
    return result


def _possible(order: ParallelCase) -> bool:
    """Whether the guards that fail for a party in one place can fail together."""
    places: dict[tuple[Side, Side], list[Term]] = {}
    for r in order.relations:
        if isinstance(r, Fails):
            places.setdefault((r.party, r.at), []).append(negate(conj(*r.guards)))
    return all(len(terms) == 1 or conj(*terms) is not FALSE for terms in places.values())
