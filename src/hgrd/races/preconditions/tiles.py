"""Tiles: constants of a kernel that its numbers are multiples of, and rows that its ranges fit into.

Kernels that move whole vectors, or tiles of constant width, expect several numbers to be multiples of these widths at
the same time, and what they do in a row to stay within it.  Each of these conditions alone leaves the races that the
others exclude.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import TypeAlias

from hgrd.races.preconditions.candidates import Candidate, Named, compared_in, plain, rows_of
from hgrd.races.preconditions.divisors import divisors
from hgrd.solve.query import Query
from hgrd.terms import Term, conj, const, eq, le, mod

Widths: TypeAlias = tuple[Candidate, ...]
"""Conditions on one number, the weakest first."""


def multiples(parameters: Sequence[Named], query: Query) -> tuple[Widths, ...]:
    """For each number that has any: that it is a multiple of a constant of the kernel."""
    found = (
        tuple(plain(f"{text} % {w} == 0", _divides(w, p)) for w in divisors(p, (query.first, query.second)))
        for text, p in parameters
    )
    return tuple(widths for widths in found if widths)


def not_negative(parameters: Sequence[Named]) -> tuple[Widths, ...]:
    """For each number that may be negative: that it is not."""
    return tuple((plain(f"{text} >= 0", le(const(0), p)),) for text, p in parameters if p.low < 0)


def _divides(width: int, number: Term) -> Term:
    return eq(mod(number, const(width)), const(0))


def within_rows(parameters: Sequence[Named], query: Query) -> Iterator[Candidate]:
    """The conditions that a number with which indexes are compared is at most the width of a row."""
    compared = compared_in(query)
    bounds = [p for p in parameters if p[1] in compared]
    for (row, width), (bound, p) in product(rows_of(parameters, query), bounds):
        if p is not width:
            yield plain(f"{bound} <= {row}", le(p, width))


def needed(parts: Sequence[Candidate], exclude: Callable[[Sequence[Candidate]], bool]) -> Sequence[Candidate]:
    """The parts that cannot be left out."""
    kept = list(parts)
    for part in parts:
        if exclude(fewer := [p for p in kept if p is not part]):
            kept = fewer
    return kept


def together(parts: Sequence[Candidate]) -> Candidate:
    """The condition that all of them hold."""
    return Candidate(" && ".join(p.text for p in parts), lambda query: conj(*(p.term(query) for p in parts)))
