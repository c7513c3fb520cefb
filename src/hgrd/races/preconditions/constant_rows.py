"""Rows of constant length: each thread uses some elements, a constant number of them, of a row whose width is given.

Of `out[row * width + 15]`, callers make sure that all elements that the kernel uses lie in one row: `16 <= width`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations
from typing import Final

from hgrd.races.preconditions.candidates import Candidate, Named, numbers_of, plain, rows_of
from hgrd.solve.query import Party, Query
from hgrd.terms import Op, Origin, Term, const, le
from hgrd.terms.linear import linear
from hgrd.terms.rewrite import unwrapped

_MOST_BYTES: Final = 1 << 16  # of a row


def constant_rows(query: Query, arguments: Sequence[Named]) -> Iterator[Candidate]:
    """The condition that the elements between the two accesses fit into a row, for each width that rows may have."""
    widths = rows_of(numbers_of(query, tuple(arguments)), query)
    for text, width in widths:
        least = _least(width, query)
        if least > 1:
            yield plain(f"{least} <= {text}", le(const(least), width))


def _least(width: Term, query: Query) -> int:
    """How many elements a row must have so that the two accesses meet in no other row; 0 if that is no constant."""
    used = [(_unit(width, party), _within_row(width, party)) for party in (query.first, query.second)]
    unit = used[0][0]
    if unit == 0 or any(row is None or other != unit for other, row in used):
        return 0
    rows = [row for _, row in used if row is not None]
    most = max(last - first for (first, _), (_, last) in permutations(rows, 2))
    return -(-most // unit) if most <= _MOST_BYTES else 0


def _unit(width: Term, party: Party) -> int:
    """The bytes of an element of rows that are so wide; 0 if there are no such rows."""
    return min((abs(size) for atom, size in _atoms(party).items() if _is_row(atom, width)), default=0)


def _within_row(width: Term, party: Party) -> tuple[int, int] | None:
    """The first byte of a row that a thread may use, and the one after the last; None if that is not constant."""
    first = linear(party.address)[0]
    last = first + party.size
    for atom, size in _atoms(party).items():
        if _is_row(atom, width):
            continue
        if atom.op is Op.VAR and atom.symbol.origin in (Origin.THREAD, Origin.BLOCK):
            return None  # the extents of the launch, and not a constant, say how far it goes
        ends = (atom.low * size, atom.high * size)
        first, last = first + min(ends), last + max(ends)
    return first, last


def _is_row(atom: Term, width: Term) -> bool:
    return atom.op is Op.MUL and unwrapped(width) in map(unwrapped, atom.args)


def _atoms(party: Party) -> Mapping[Term, int]:
    return linear(party.address)[1]
