"""Alternative acquires: conditions that are met by one observation or by another one.

As where the last thread to arrive goes on at once, and the others wait for it.
"""

from __future__ import annotations

from collections.abc import Iterator

from hgrd.protocol.model import Access
from hgrd.races.acquire_release.accesses import known_at
from hgrd.races.acquire_release.events import AcquireRelease
from hgrd.races.acquire_release.observations import Observations
from hgrd.races.acquire_release.program_order import Position, precedes
from hgrd.terms import FALSE, Op, Symbol, Term, const, substitute, symbols_of, var

_TRIED = (-2, -1, 0, 1, 2, 3)  # values of flags


def alternatives(events: AcquireRelease, access: Access) -> Iterator[tuple[tuple[Symbol, Term, Position], ...]]:
    """Tests of observed values of which the thread (or one of its block) has passed at least one, before the access.

    Each with the symbol of the value and the position at which it was observed last.
    """
    here = events.order.of(access)
    for condition in (*access.guards, *access.endings):
        parts = condition.args if condition.op is Op.OR else (condition,)
        tested = [p for p in parts if events.observations.symbols_in(p)]
        found = [t for p in tested if (t := _latest(events.observations, p, here)) is not None]
        if len(tested) < 2 or len(found) < len(tested):
            continue
        by_itself = len(tested) == len(parts)
        known = known_at(access)
        if by_itself or all(events.representatives.barrier(p, here, known) is not None for _, _, p in found):
            yield tuple(found)


def _latest(observations: Observations, test: Term, here: Position) -> tuple[Symbol, Term, Position] | None:
    """The last of the observations in a test; None if the test may pass by the value that was there before."""
    made = [(s, observations.made_at(s, here)) for s in observations.symbols_in(test)]
    positions = [(s, p) for s, p in made if p is not None]
    if len(positions) < len(made):
        return None
    symbol, last = positions[0]
    for other, position in positions[1:]:
        symbol, last = (other, position) if precedes(last, position) else (symbol, last)
    key = observations.of(symbol).target.key
    before = [s for s, _ in positions if s != symbol and observations.of(s).target.key == key]
    return None if any(_passes_unchanged(test, symbol, s) for s in before) else (symbol, test, last)


def _passes_unchanged(test: Term, symbol: Symbol, before: Symbol) -> bool:
    """Whether a test may be passed by the value that was found before: tried out where it mentions nothing else."""
    same = substitute((test,), {symbol: var(before)})[0]
    if set(symbols_of(same)) != {before}:
        return same is not FALSE
    values = (const(n) for n in _TRIED if before.low <= n <= before.high)
    return any(substitute((same,), {before: value})[0] is not FALSE for value in values)
