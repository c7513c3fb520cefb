"""Runs of elements that two arrays describe: the begin of each, and its length or its end."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import permutations, product
from typing import Final, TypeAlias

from msgspec import Struct

from hgrd.solve.query import Party, Query
from hgrd.terms import Op, Origin, Term, add, conj, const, disj, le
from hgrd.terms.rewrite import bottom_up

NAME: Final = re.compile(r"[A-Za-z_][\w.]*")
ON_CONTENTS: Final = re.compile(r"\b(?:distinct|monotone|apart|within|atmost)\(([^()]*)")
"""A condition on the contents of arrays, and which these are."""
_MOST = 4  # pairs of arrays that are examined


def of_runs(query: Query) -> Iterator[tuple[str, Callable[[Query], Term]]]:
    """Conditions that runs do not overlap: one array gives the begin of each, another one its length or its end.

    Each as C, and as a term of a query.
    """
    for begin, other in sorted(_runs(query))[:_MOST]:
        for text, end in ((f"{begin} + {other}", add), (other, _only_second)):
            for more, least in (("", None), (f" && nonnegative({other})", 0), (f" && positive({other})", 1)):
                yield f"apart({begin}, {text}){more}", _Rule((begin, other), end, least).says


def reads_in(*terms: Term) -> list[Term]:
    """The reads of arrays in the terms."""
    return [t for t in bottom_up(terms) if t.op is Op.READ]


def of_one_index(*parties: Party) -> list[Term]:
    """Reads under one index that decide where the parties access memory, or whether they do."""
    found = dict.fromkeys(t for p in parties for t in reads_in(p.address, *p.guards) if len(t.args) == 1)
    return list(found)


Run: TypeAlias = tuple[Term, Term, Term]
"""Its index in two arrays, where it begins, and how long it is or where it ends (as the kernel's type has them)."""


class _Rule(Struct, frozen=True):
    """The rule that runs, by the names of two arrays, are apart, with a lower bound of the second one's elements."""

    names: tuple[str, str]
    end: Callable[[Term, Term], Term]
    least: int | None

    def says(self, query: Query) -> Term:
        pairs = _runs(query).get(self.names, [])
        large = (le(const(self.least), r[2]) for pair in pairs for r in pair) if self.least is not None else ()
        return conj(_apart(pairs, self.end), *large)


def _runs(query: Query) -> dict[tuple[str, str], list[tuple[Run, Run]]]:
    """The runs of both threads, by the names of two arrays."""
    places = {t.array for p in (query.first, query.second) for t in reads_in(p.address)}
    first, second = (_beside(p, places) for p in (query.first, query.second))
    return {names: list(product(first[names], second[names])) for names in first.keys() & second.keys()}


def _beside(party: Party, places: set[str]) -> dict[tuple[str, str], list[Run]]:
    """The reads of a thread from two arrays under one index, by their names: the begin of its run, and its length."""
    found: dict[tuple[str, str], list[Run]] = {}
    terms = bottom_up((party.address, *party.guards))
    cut = {t.args[0]: t for t in terms if t.op is Op.WRAP and t.args[0].op is Op.READ}
    ends = {r.array for r in (*reads_in(party.address), *bounds_in(party))}
    for r, s in permutations(of_one_index(party), 2):
        named = NAME.fullmatch(r.array) and NAME.fullmatch(s.array)
        if named and r.array != s.array and r.array in places and s.array in ends and r.args == s.args:
            run = (r.args[0], cut.get(r, r), cut.get(s, s))
            found.setdefault((r.array, s.array), []).append(run)
    return found


def bounds_in(party: Party) -> list[Term]:
    """The reads of a thread that bound its loops or its thread range."""
    return reads_in(*filter(_bounds, party.guards))


def _bounds(guard: Term) -> bool:
    """Whether a guard bounds the number of iterations of a loop, or the threads that continue."""
    core = guard.args[0] if guard.op is Op.NOT else guard
    outside = (t for t in bottom_up((core,), lambda t: () if t.op is Op.READ else t.args) if t.op is Op.VAR)
    return core.op in (Op.LE, Op.LT) and any(t.symbol.origin in (Origin.LOOP, Origin.THREAD) for t in outside)


def _apart(pairs: Iterable[tuple[Run, Run]], end: Callable[[Term, Term], Term]) -> Term:
    """The condition that of two runs the one with the lower index ends before the other begins."""
    return conj(
        *(disj(le(i, j), le(end(*before), begin)) for x, y in pairs for (i, begin, _), (j, *before) in ((x, y), (y, x)))
    )


def _only_second(_: Term, second: Term) -> Term:
    return second
