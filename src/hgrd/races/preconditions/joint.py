"""Joint preconditions: several conditions on tiles, rows and signs, none of which excludes the race alone."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from time import perf_counter
from typing import Final

from hgrd.races.encoding.pair_query import EncodedPair
from hgrd.races.preconditions.candidates import Candidate, numbers_of, of_indexes
from hgrd.races.preconditions.exclusion import RacyPair, are_violations, excludes, helps, leans
from hgrd.races.preconditions.nested_rows import nested
from hgrd.races.preconditions.tiles import multiples, needed, not_negative, together, within_rows
from hgrd.solve.decide import Decider
from hgrd.solve.effort import Effort
from hgrd.solve.query import Model
from hgrd.terms import Op
from hgrd.terms.rewrite import bottom_up

_EFFORT: Final = Effort(queries=100, units=8_000_000)  # for one race


def joint(
    race: RacyPair,
    queries: list[EncodedPair],
    conflicts: list[tuple[EncodedPair, Model]],
    decide: Decider,
    deadline: float,
    only: str | None,
) -> str:
    """Conditions that together exclude the finding, as C: none can be left out; "" if there are none.

    Numbers are multiples of the least of their widths; rows, and nests of them, are tried one at a time, also with what
    memory gives for indexes within a row.
    `only`: these alone are tried.
    """
    query = race.conflicts[0][0].query
    numbers, begin = numbers_of(query, race.arguments), decide.spent
    tiles, rows = multiples(numbers, query), tuple(within_rows(numbers, query))
    signs, looked_up = not_negative(numbers), tuple(of_indexes(query, race.arguments))
    nests = tuple(nested([encoded.query for encoded in race.queries], race.arguments))
    if only is not None:
        known = {c.text: c for c in (*rows, *looked_up, *(c for some in (*tiles, *signs, *nests) for c in some))}
        parts = [known[text] for text in only.split(" && ") if text in known]
        whole = together(parts)
        return only if whole.text == only and helps(whole, race, queries, conflicts, decide) else ""

    def spent() -> bool:
        return perf_counter() > deadline or decide.spent.since(begin).exceeds(_EFFORT)

    def exclude(parts: Sequence[Candidate]) -> bool:
        whole, seen = together(parts), list(conflicts)
        found = not spent() and are_violations(whole, conflicts) and excludes(whole, queries, decide, seen) is not None
        conflicts.extend(c for c in seen[len(conflicts) :] if not _wraps(*c))
        return found

    widest = [widths[0] for widths in tiles]
    in_rows = product(((), *((row,) for row in rows)), ((), [sign[0] for sign in signs])) if tiles else ()
    inside = ([row, index] for row, index in product(rows, looked_up))
    in_tiles = ([*widest, *row, *signed] for row, signed in in_rows)
    tried = (*inside, *in_tiles, *nests, *([*widest, *n] for n in nests if tiles))
    for parts in tried:
        if exclude(parts):
            whole = together(needed(parts, exclude))
            return whole.text if not spent() and helps(whole, race, queries, conflicts, decide) else ""
    return ""


def _wraps(encoded: EncodedPair, model: Model) -> bool:
    """Whether arithmetic wraps around in a model: then it says little of conditions on numbers of usual size."""
    parties = (encoded.query.first, encoded.query.second)
    terms = bottom_up(tuple(t for party in parties for t in (party.address, *party.guards)))
    return leans(model, tuple(t for t in terms if t.op is Op.WRAP and t.wrap_to[2]))
