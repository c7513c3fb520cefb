"""Reachable iterations: witnesses in loop iterations that their threads reach.

A query states that the tests of loops hold in the iteration of an access, but not that they held in all before:
`for (unsigned j = 1; j - n; j++)` ends at `n`, and has no iteration after it.  Where the model has such an
iteration, the solver is asked again, with the missing condition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from hgrd.protocol.model import Access, Item, ProtocolLoop
from hgrd.protocol.phases.phases import Side
from hgrd.races.results.evidence import Evidence
from hgrd.solve.query import Answer, Conflict, Query
from hgrd.terms import EvaluationError, Symbol, Term, conj, const, disj, evaluate, le, negate, substitute, var

_MOST_ITERATIONS = 512
_ATTEMPTS = 8


class ExitedLoop(Struct, frozen=True):
    """An exited loop: the thread has no iteration after `last`; `claim` is the condition that the query lacked."""

    loop: ProtocolLoop
    last: int
    claim: Term


def with_reachable_iteration(evidence: Evidence, decide: Callable[[Query], Answer]) -> Evidence | None:
    """The same conflict in iterations that its threads reach; None if these are reached, or none is found."""
    found = evidence
    for _ in range(_ATTEMPTS):
        left = exited_loop(found)
        if left is None:
            return None if found is evidence else found
        query = found.encoded.query
        narrower = replace(query, between=(*query.between, left.claim))
        answer = decide(narrower)
        if not isinstance(answer, Conflict):
            return None
        found = replace(found, encoded=replace(found.encoded, query=narrower), model=answer.model)
    return None


def exited_loop(evidence: Evidence) -> ExitedLoop | None:
    """The first loop that a thread has left before the iteration in which the model has it."""
    both = ((Side.FIRST, evidence.encoded.first), (Side.SECOND, evidence.encoded.second))
    return next((left for side, access in both for left in _left(evidence, side, access)), None)


def _left(evidence: Evidence, side: Side, access: Access) -> Iterator[ExitedLoop]:
    threads, values = evidence.encoded.threads, evidence.model.values
    at: dict[Symbol, Term] = {}
    for loop in _around(evidence.protocol.items, access):
        binder = threads.rename(loop.binder, side)
        number = values.get(binder)
        if number is None:
            return
        for iteration in range(min(number, _MOST_ITERATIONS)):
            here = {**at, loop.binder: const(iteration)}
            stays = ((iteration - 1, conj(*loop.tests)), (iteration, conj(*map(negate, loop.breaks))))
            for last, condition in stays:
                (held,) = threads.of(substitute((condition,), here), side)
                if _fails(evidence, held):
                    yield ExitedLoop(loop, last, disj(le(var(binder), const(last)), held))
                    return
        at[loop.binder] = const(number)


def _around(items: tuple[Item, ...], access: Access) -> tuple[ProtocolLoop, ...]:
    """The loops around an access, outermost first."""
    for item in items:
        if isinstance(item, ProtocolLoop):
            inner = _around(item.items, access)
            if inner or any(isinstance(i, Access) and i.number == access.number for i in item.items):
                return (item, *inner)
    return ()


def _fails(evidence: Evidence, condition: Term) -> bool:
    """Whether the condition is false, as far as the model determines it."""
    try:
        return not evaluate((condition,), evidence.model.values, evidence.model.contents)[0]
    except EvaluationError:
        return False
