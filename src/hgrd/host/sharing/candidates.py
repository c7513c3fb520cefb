"""Work at once whose kernels must say whether it uses the same elements: the pairs that are most likely to do so.

A loop gives each stream a band of an array: what kernels of neighbouring bands read and write at their edges, only
their bodies say.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, TypeAlias

from msgspec import Struct, field

from hgrd.host.concurrency.addresses import ANYWHERE, Place
from hgrd.host.concurrency.trace import Touch, Work
from hgrd.host.model import LaunchedAs, UsedBytes
from hgrd.host.sharing.at_once import bytes_in, bytes_of, may_be_complete
from hgrd.program.span import Span
from hgrd.terms import Term

_MOST: Final = 12  # pairs of work of one kind
_FAR: Final = 1 << 20

Pointers: TypeAlias = tuple[tuple[int, int], ...]
"""The pointers that lead into an object, by the number of a parameter and the offset in it."""
Kind: TypeAlias = tuple[tuple[Span, str, Pointers], tuple[Span, str, Pointers], str]
"""The places of two pieces of work, with their kernels and pointers into an object, and the key of that."""


class Candidate(Struct, frozen=True):
    """Two pieces of work that touch an object, one of which writes it, by its key; `sure`: nothing may order them."""

    one: Work
    other: Work
    key: str
    touches: tuple[Touch, Touch]
    sure: bool


class Candidates(Struct):
    """The pairs so far, by what they have in common, each with how far apart its iterations are.

    `origins` has the keys of objects in the trace by their keys in iterations.
    """

    origins: Mapping[str, str]
    found: dict[Kind, list[tuple[int, int, Candidate]]] = field(
        default_factory=dict[Kind, "list[tuple[int, int, Candidate]]"]
    )

    def add(self, one: Work, other: Work, *, sure: bool) -> None:
        """Adds two pieces of work, for each object that both get a pointer to."""
        for key, a, b in _shared(one.touches, other.touches):
            here, there = ((w.span, w.kernel, _pointers(w, key)) for w in (one, other))
            pairs = self.found.setdefault((here, there, self.origins.get(key, key)), [])
            surely = sure and not (may_be_complete(a) or may_be_complete(b))
            pairs.append((_distance(one, other), len(pairs), Candidate(one, other, key, (a, b), surely)))

    def nearest(self) -> Iterator[Candidate]:
        """Of each kind those whose iterations are nearest to each other, those first that nothing may order."""
        for pairs in self.found.values():
            ordered = sorted(pairs, key=lambda p: (not p[2].sure, *p[:2]))
            yield from (candidate for _, _, candidate in ordered[:_MOST])


def _pointers(work: Work, key: str) -> Pointers:
    given = () if work.grid is None else work.grid.given
    return tuple((number, at) for number, at, to in given if isinstance(to, Place) and to.key == key)


def _shared(touches: Iterable[Touch], others: tuple[Touch, ...]) -> Iterator[tuple[str, Touch, Touch]]:
    told: set[tuple[str, bool, bool]] = set()
    for a in touches:
        for b in others:
            if not isinstance(a.at, Place) or not isinstance(b.at, Place) or a.at.key != b.at.key:
                continue
            kind = a.at.key, a.writes, b.writes
            known = not (a.found or b.found or a.at.key.startswith(ANYWHERE))
            if known and (a.writes or b.writes) and kind not in told:
                told.add(kind)
                yield a.at.key, a, b


def _distance(one: Work, other: Work) -> int:
    """How far apart the iterations are that two pieces of work are made in."""
    here, there = ({step.loop: step.number for step in work.within} for work in (one, other))
    apart = ((number, there[loop]) for loop, number in here.items() if loop in there)
    return sum(abs(a.value - b.value) if a.is_const and b.is_const else _FAR * (a != b) for a, b in apart)


def used_by(work: Work, touch: Touch) -> LaunchedAs | UsedBytes | None:
    """How a kernel is launched, with what is known of its arguments; the bytes that other work uses; None: unknown."""
    if work.grid is None:
        if not isinstance(touch.at, Place):
            return None
        if touch.rectangle is not None:
            return bytes_in(work, touch.at.offset, touch.rectangle, stores=touch.stores, whose="of the other")
        if not touch.covered or len(touch.rows) != 1:
            return None
        return bytes_of(work, touch.at.offset, touch.rows[0], "of the other")
    numbers = {(number, at): value for number, at, value in work.grid.given if isinstance(value, Term)}
    pointers = {(n, at): (to.key, to.offset) for n, at, to in work.grid.given if isinstance(to, Place)}
    return LaunchedAs(work.what, work.kernel, work.span, work.grid.grid, work.grid.block, numbers, pointers)
