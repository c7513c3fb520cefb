"""Certainty: accesses that some thread of a block is sure to make once others have been made."""

from __future__ import annotations

from collections.abc import Set

from hgrd.protocol.model import Access, Exit
from hgrd.races.acquire_release.events import AcquireRelease
from hgrd.races.acquire_release.program_order import Position, certain, precedes
from hgrd.races.acquire_release.representatives import parts_of
from hgrd.terms import TRUE, Symbol, Term, conj, negate


def surely_follows(
    events: AcquireRelease, later: Access, earlier: Position, known: frozenset[Term], told: Set[Symbol]
) -> bool:
    """Whether some thread of a block is sure to make an access, after one at `earlier`, where `known` holds.

    `told`: what it has found to be as it must be.
    """
    here = events.order.of(later)
    if not certain(here, earlier) or any(_may_leave(p, earlier, here, known) for p in events.order.positions):
        return False
    parts = (part for guard in later.guards for part in parts_of(guard))
    open_ = conj(*(part for part in parts if part not in known and not _tells(events, part, here, told)))
    one = events.representatives.someone(open_, (), here)
    return one is not None and parts_of(one[0]) <= known


def _may_leave(position: Position, first: Position, last: Position, known: frozenset[Term]) -> bool:
    """Whether a thread may end at an item between two others, which no condition of the last one tells."""
    item = position.item
    if not isinstance(item, Exit) or certain(position, last) or any(negate(guard) in known for guard in item.guards):
        return False
    return precedes(first, position) and precedes(position, last)


def _tells(events: AcquireRelease, condition: Term, here: Position, told: Set[Symbol]) -> bool:
    """Whether a condition is nothing but a test of what has been found."""
    meanings = (meaning for meaning, _ in events.representatives.meanings(condition, here))
    tests = (test for meaning in meanings for test in events.observations.tests(meaning))
    return any(symbol in told and when is TRUE for symbol, _, when in tests)
