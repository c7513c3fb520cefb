"""Preconditions of a race: one simple condition on parameters under which it cannot happen.

Host code often does not say how parameters relate (`stride >= cols`, `n <= m`, a power of two, an index
array without repeats).  A race is conditional (docs/verdicts.md) if such a condition excludes it, and two threads can
still make the two accesses under the condition.  Candidates are tried from weak to strong, and each must be violated
by every witness before a proof is attempted.  A proof may assume that arithmetic does not wrap around only if that
assumption alone does not exclude the race.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set
from time import perf_counter

from msgspec import Struct
from msgspec.structs import replace

from hgrd.cuda.memory_model import AccessKind
from hgrd.protocol.model import Access, Protocol, accesses
from hgrd.races.encoding.pair_query import EncodedPair
from hgrd.races.plausibility.ignored_axes import all_one, said
from hgrd.races.preconditions.candidates import Candidate, Named, candidates
from hgrd.races.preconditions.packed_arrays import Start, of_layout
from hgrd.races.preconditions.segments import NAME
from hgrd.solve.decide import Decider
from hgrd.solve.effort import Effort
from hgrd.solve.query import Answer, Conflict, Model, Proved, Query, Scrutiny
from hgrd.solve.steps.wrapping import in_range, takes_effect
from hgrd.terms import (
    TRUE,
    EvaluationError,
    Op,
    Origin,
    Symbol,
    Term,
    conj,
    const,
    disj,
    evaluate,
    le,
    ne,
    symbols_of,
    var,
)
from hgrd.terms.rewrite import bottom_up

_MOST_QUERIES = 48
_EFFORT = Effort(queries=200, units=8_000_000)  # for one race


class RacyPair(Struct, frozen=True):
    """All queries that one finding stands for, and the conflicts that were found in some of them.

    `scatters`: the accesses are writes to places that no access reads by way of the same index arrays
    (code that counts in a table expects some entries twice).  `arguments`: the kernel's parameters that are numbers.
    `starts`: those that point into the object that is accessed.  `ignored`: unknown extents along axes that the kernel
    does not look at.
    """

    queries: tuple[EncodedPair, ...]
    conflicts: tuple[tuple[EncodedPair, Model], ...]
    scatters: bool = False
    arguments: tuple[Named, ...] = ()
    starts: tuple[Start, ...] = ()
    ignored: tuple[Term, ...] = ()


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
        violated = all(_violates(candidate, encoded.query, model) for encoded, model in conflicts)
        if violated and _helps(candidate, race, queries, conflicts, decide):
            return candidate.text
    return ""


def _candidates(race: RacyPair, encoded: EncodedPair) -> Iterator[Candidate]:
    """The candidates for a race; last of all those that also need launches with one thread along ignored axes."""
    parts = [Candidate(text, says) for text, says in of_layout(encoded.query, race.starts, race.arguments)]

    def of_query() -> Iterator[Candidate]:
        yield from parts
        yield from candidates(encoded.query, encoded.threads.configuration, race.arguments, scatters=race.scatters)

    flat = Candidate(said(race.ignored), lambda _: all_one(race.ignored), lambda _: TRUE)
    yield from (flat,) if race.ignored else ()
    yield from of_query()
    for other in of_query() if race.ignored else ():
        both = f"{flat.text} && {other.text}"
        yield Candidate(both, lambda query, other=other: conj(all_one(race.ignored), other.term(query)), other.term)


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
    return text if _helps(candidate, race, list(race.queries), list(race.conflicts), decide) else ""


def _helps(
    candidate: Candidate,
    race: RacyPair,
    queries: list[EncodedPair],
    conflicts: list[tuple[EncodedPair, Model]],
    decide: Callable[[Query], Answer],
) -> bool:
    """Whether the candidate excludes the finding, and still leaves the kernel something to do."""
    assumed = _excludes(candidate, queries, decide, conflicts)
    work = replace(candidate, term=candidate.work or candidate.term)
    return assumed is not None and all(
        _leaves_work(work, p.query, model, decide, assumed) for p, model in race.conflicts
    )


def _excludes(
    candidate: Candidate,
    queries: list[EncodedPair],
    decide: Callable[[Query], Answer],
    conflicts: list[tuple[EncodedPair, Model]],
) -> tuple[Term, ...] | None:
    """The terms assumed not to wrap around if the candidate excludes all conflicts; None if it does not exclude them.

    If it does not, later candidates must be violated in the conflict found, and that query is asked first for them.
    """
    assumed: dict[Term, None] = {}
    for index, encoded in enumerate(queries):
        answer = decide(replace(_under(candidate, encoded.query), scrutiny=Scrutiny.REALISTIC))
        if isinstance(answer, Conflict):
            conflicts.append((encoded, answer.model))
        if not isinstance(answer, Proved):
            queries.insert(0, queries.pop(index))
            return None
        assumed |= dict.fromkeys(answer.no_wrap)
    found = [model for _, model in conflicts if not _leans(model, tuple(assumed))]
    if found or _conflict_without(tuple(assumed), conflicts[0][0].query, decide):
        return tuple(assumed)
    return None  # it is not the candidate that rules them out


def _leans(model: Model, assumed: tuple[Term, ...]) -> bool:
    return any(takes_effect(wrap, model) for wrap in assumed)


def _conflict_without(assumed: tuple[Term, ...], query: Query, decide: Callable[[Query], Answer]) -> bool:
    """Whether there is a conflict even if none of the `assumed` terms wraps around."""
    plain = tuple(in_range(wrap) for wrap in assumed)
    return isinstance(decide(replace(query, between=(*query.between, *plain))), Conflict)


def scatters(a: Access, b: Access, protocol: Protocol) -> bool:
    """Whether both are writes to places that index arrays decide, of an object that is not read in that way."""

    def read_alike(other: Access) -> bool:
        return other.kind is not AccessKind.WRITE and other.target.key == a.target.key and _looks_up(other.offset)

    writes = a.kind is AccessKind.WRITE and b.kind is AccessKind.WRITE
    return writes and not any(map(read_alike, accesses(protocol.items)))


def _looks_up(term: Term) -> bool:
    return any(t.op is Op.READ for t in bottom_up((term,)))


def _violates(candidate: Candidate, query: Query, model: Model) -> bool:
    """Whether the condition is false in the model, or may be where the model leaves a value open."""
    try:
        (holds,) = evaluate(
            (candidate.term(query),), model.values, lambda array, index: model.reads.get((array, index), 0)
        )
    except (EvaluationError, KeyError):
        return True
    return not holds


def _under(candidate: Candidate, query: Query) -> Query:
    return replace(query, between=(*query.between, candidate.term(query)))


def _leaves_work(
    candidate: Candidate, query: Query, model: Model, decide: Callable[[Query], Answer], assumed: tuple[Term, ...]
) -> bool:
    """Whether two threads can still make the two accesses, at any address, with none of the `assumed` terms wrapping.

    If no loop with a barrier runs between the two in the query, one may run here.  The indexes of the two threads must
    be able to differ along each axis along which those of the model differ: a condition that leaves work to a single
    row of threads only is not one to expect.
    """
    anywhere = [replace(party, address=const(0)) for party in (query.first, query.second)]
    between = tuple(map(_however_often, query.between))
    free = replace(_under(candidate, replace(query, between=between)), first=anywhere[0], second=anywhere[1])
    axes = zip(query.first.axes, query.second.axes, strict=True)
    apart = [(a.symbol, b.symbol) for a, b in axes if model.values.get(a.symbol) != model.values.get(b.symbol)]
    return all(_can_meet(replace(free, between=(*free.between, ne(var(a), var(b)))), decide, assumed) for a, b in apart)


def _however_often(term: Term) -> Term:
    """A condition between two threads, without the part that loops were left before their first iteration."""
    match term.op:
        case Op.AND:
            return conj(*map(_however_often, term.args))
        case Op.OR:
            return disj(*map(_however_often, term.args))
        case Op.EQ if const(0) in term.args:
            counts = all(s.origin is Origin.COUNT for s in symbols_of(term))
            return TRUE if counts else term
        case _:
            return term


def _can_meet(query: Query, decide: Callable[[Query], Answer], assumed: tuple[Term, ...]) -> bool:
    answer = decide(replace(query, scrutiny=Scrutiny.NONE))
    if not isinstance(answer, Conflict):
        return False
    return not _leans(answer.model, assumed) or _conflict_without(assumed, query, decide)
