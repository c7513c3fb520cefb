"""Exclusion: whether a condition excludes all conflicts of a race and leaves the kernel something to do."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from hgrd.races.encoding.pair_query import EncodedPair
from hgrd.races.plausibility.expected_launch import Expected
from hgrd.races.preconditions.candidates import Candidate, Named
from hgrd.races.preconditions.packed_arrays import Start
from hgrd.solve.query import Answer, Conflict, Model, Proved, Query, Scrutiny
from hgrd.solve.steps.wrapping import in_range, takes_effect
from hgrd.terms import TRUE, EvaluationError, Op, Origin, Term, conj, const, disj, evaluate, ne, symbols_of, var


class RacyPair(Struct, frozen=True):
    """All queries that one finding stands for, and the conflicts that were found in some of them.

    `scatters`: the accesses are writes to places that no access reads by way of the same index arrays
    (code that counts in a table expects some entries twice).  `arguments`: the kernel's parameters that are numbers.
    `starts`: those that point into the object that is accessed.  `launch`: what the kernel expects of extents that are
    not known.  `checked`: the host has checked the numbers that it gets: no condition on them is left to callers.
    """

    queries: tuple[EncodedPair, ...]
    conflicts: tuple[tuple[EncodedPair, Model], ...]
    scatters: bool = False
    arguments: tuple[Named, ...] = ()
    starts: tuple[Start, ...] = ()
    launch: tuple[Expected, ...] = ()
    checked: bool = False


def helps(
    candidate: Candidate,
    race: RacyPair,
    queries: list[EncodedPair],
    conflicts: list[tuple[EncodedPair, Model]],
    decide: Callable[[Query], Answer],
) -> bool:
    """Whether the candidate excludes the finding, and still leaves the kernel something to do."""
    assumed = excludes(candidate, queries, decide, conflicts)
    work = replace(candidate, term=candidate.work or candidate.term)
    return assumed is not None and all(
        _leaves_work(work, p.query, model, decide, assumed) for p, model in race.conflicts
    )


def excludes(
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
    found = [model for _, model in conflicts if not leans(model, tuple(assumed))]
    if found or _conflict_without(tuple(assumed), conflicts[0][0].query, decide):
        return tuple(assumed)
    return None  # it is not the candidate that rules them out


def leans(model: Model, assumed: tuple[Term, ...]) -> bool:
    return any(takes_effect(wrap, model) for wrap in assumed)


def _conflict_without(assumed: tuple[Term, ...], query: Query, decide: Callable[[Query], Answer]) -> bool:
    """Whether there is a conflict even if none of the `assumed` terms wraps around."""
    plain = tuple(in_range(wrap) for wrap in assumed)
    return isinstance(decide(replace(query, between=(*query.between, *plain))), Conflict)


def are_violations(candidate: Candidate, conflicts: list[tuple[EncodedPair, Model]]) -> bool:
    """Whether no conflict meets the condition."""
    return all(_violates(candidate, encoded.query, model) for encoded, model in conflicts)


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
    return not leans(answer.model, assumed) or _conflict_without(assumed, query, decide)
