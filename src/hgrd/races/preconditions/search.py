"""Preconditions of a race: one simple condition on parameters under which it cannot happen.

Host code often does not say how parameters relate (`stride >= cols`, `n <= m`, a power of two, an index
array without repeats).  A race is conditional (docs/verdicts.md) if such a condition excludes it, and two threads can
still make the two accesses under the condition.  Candidates are tried from weak to strong, and each must be violated
by every witness before a proof is attempted.  A proof may assume that arithmetic does not wrap around only if that
assumption alone does not exclude the race.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set
from itertools import chain
from time import perf_counter

from hgrd.cuda.memory_model import AccessKind
from hgrd.protocol.model import Access, Protocol, accesses
from hgrd.races.encoding.pair_query import EncodedPair
from hgrd.races.plausibility.expected_launch import holds, said
from hgrd.races.preconditions.candidates import Candidate, candidates, numbers_of, plain, rows_of
from hgrd.races.preconditions.constant_rows import constant_rows
from hgrd.races.preconditions.exclusion import RacyPair, are_violations, helps
from hgrd.races.preconditions.joint import joint
from hgrd.races.preconditions.packed_arrays import of_layout
from hgrd.races.preconditions.segments import NAME, ON_CONTENTS
from hgrd.races.preconditions.tiles import multiples, within_rows
from hgrd.solve.decide import Decider
from hgrd.solve.effort import Effort
from hgrd.solve.query import Answer, Query
from hgrd.terms import (
    TRUE,
    Op,
    Symbol,
    Term,
    conj,
    const,
    le,
    lt,
    var,
)
from hgrd.terms.rewrite import bottom_up

_MOST_QUERIES = 48
_EFFORT = Effort(queries=200, units=8_000_000)  # for one race


def precondition(
    race: RacyPair,
    decide: Decider,
    deadline: float,
    *,
    only: str | None = None,
    first: Set[str] = frozenset(),
) -> str:
    """The weakest candidate that excludes the finding, as C; "" if none does within the effort and the time there is.

    `deadline` is a value of perf_counter().  `only`: this one alone is tried.  `first`: these before others.
    """
    if not race.conflicts or len(race.queries) > _MOST_QUERIES:
        return ""
    begin = decide.spent
    conflicts = list(race.conflicts)
    queries = list(race.queries)
    encoded = race.conflicts[0][0]
    tried = _candidates(race, encoded)
    for candidate in sorted(tried, key=lambda c: c.text not in first) if first else tried:
        if only not in (None, candidate.text):
            continue
        if perf_counter() > deadline or decide.spent.since(begin).exceeds(_EFFORT):
            return ""
        if are_violations(candidate, conflicts) and helps(candidate, race, queries, conflicts, decide):
            return candidate.text
    return "" if race.checked else joint(race, queries, conflicts, decide, deadline, only)


def _candidates(race: RacyPair, encoded: EncodedPair) -> Iterator[Candidate]:
    """The candidates for a race: an expected launch, other conditions, and last of all these together."""
    parts = [Candidate(text, says) for text, says in of_layout(encoded.query, race.starts, race.arguments)]

    def of_query() -> Iterator[Candidate]:
        found = chain(
            parts,
            constant_rows(encoded.query, race.arguments),
            candidates(encoded.query, encoded.threads.configuration, race.arguments, scatters=race.scatters),
        )
        return (c for c in found if not race.checked or ON_CONTENTS.search(c.text))

    launch, limits = race.launch, tuple(x.weaker() for x in race.launch)
    for some in (*((x,) for x in limits), *([limits] if len(limits) > 1 else [])):
        yield Candidate(said(some), lambda _, some=some: holds(some), lambda _: TRUE)
    yield from of_query()
    for other in of_query() if launch else ():
        yield Candidate(
            f"{said(launch)} && {other.text}",
            lambda query, other=other: conj(holds(launch), other.term(query)),
            other.work or other.term,
        )


def may_exclude(race: RacyPair, known: Set[str]) -> str:
    """What all conflicts violate of conditions `known` from other races, or of what rows plainly need; "" if nothing.

    That is a width, one that is a multiple of a constant of the kernel, and room for what indexes are compared with.

    No proof is tried: a race of which nothing else is known is not sure if there is such a condition.
    """
    if not race.conflicts:
        return ""
    parts = {part for text in known for part in text.split(" && ")}
    conflicts = list(race.conflicts)
    encoded = race.conflicts[0][0]
    numbers = numbers_of(encoded.query, race.arguments)
    rows = rows_of(numbers, encoded.query)
    widths = (plain(f"{text} > 0", lt(const(0), p)) for text, p in rows)
    within = within_rows(numbers, encoded.query)
    whole = chain.from_iterable(multiples(rows, encoded.query))
    others = (c for c in _candidates(race, encoded) if c.text in parts)
    return next((c.text for c in (*widths, *within, *whole, *others) if are_violations(c, conflicts)), "")


def not_negative(race: RacyPair, sizes: frozenset[Symbol], decide: Callable[[Query], Answer]) -> str:
    """The condition that no size is negative, if it excludes the finding; "" if it does not, or a size has no name."""
    if not race.conflicts or len(race.queries) > _MOST_QUERIES:
        return ""
    bearing = sorted(sizes & {s for p in race.queries for s in p.query.shared}, key=lambda s: s.name)
    named = {t: text for text, t in reversed(race.arguments)} | {
        var(s): s.name for s in bearing if NAME.fullmatch(s.name)
    }
    if not all(var(s) in named for s in bearing):
        return ""
    text = " && ".join(f"{named[var(s)]} >= 0" for s in bearing)
    candidate = Candidate(text, lambda _: conj(*(le(const(0), var(s)) for s in bearing)))
    return text if helps(candidate, race, list(race.queries), list(race.conflicts), decide) else ""


def scatters(a: Access, b: Access, protocol: Protocol) -> bool:
    """Whether both are writes to places that index arrays decide, of an object that is not read in that way."""

    def read_alike(other: Access) -> bool:
        return other.kind is not AccessKind.WRITE and other.target.key == a.target.key and _looks_up(other.offset)

    writes = a.kind is AccessKind.WRITE and b.kind is AccessKind.WRITE
    return writes and not any(map(read_alike, accesses(protocol.items)))


def _looks_up(term: Term) -> bool:
    return any(t.op is Op.READ for t in bottom_up((term,)))
