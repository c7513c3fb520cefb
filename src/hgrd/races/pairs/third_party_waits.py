"""Third-party waits: one of two threads waits for a value that the other one sets, and that third threads may set."""

from __future__ import annotations

from collections.abc import Callable

from hgrd.races.encoding.pair_query import Pair, PairEncoder
from hgrd.solve.query import Answer, Proved, Query


def needs_third_party(encoder: PairEncoder, pair: Pair, decide: Callable[[Query], Answer]) -> str | None:
    """The value that a third thread must set for the two to meet, in words; None if they meet without that."""
    found = encoder.synchronization.set_by_third_party(pair.first, pair.second)
    if found is None:
        return None
    by_two = encoder.encode(pair, bounded=True, filled=True, by_two=True)
    return found if isinstance(decide(by_two.query), Proved) else None
