"""Earlier iterations of the threads of a model: do they come as far as the model says?  One by one."""

from __future__ import annotations

from msgspec import Struct

from hgrd.protocol.model import Exit
from hgrd.protocol.phases.parallelism import Side
from hgrd.races.barriers.paths import DivergencePaths, stay_conditions
from hgrd.races.threads.two_threads import SUFFIX, ThreadPair
from hgrd.solve.query import Model
from hgrd.terms import EvaluationError, Symbol, Term, conj, const, evaluate, negate, substitute, symbols_of

_MOST_ITERATIONS = 512


class EarlierExit(Struct, frozen=True):
    """Exit of a thread in iteration `iteration` of the loop at `depth`; `exits`: it leaves the kernel."""

    depth: int
    iteration: int
    exits: bool


class History(Struct, frozen=True):
    """History of a thread: where it left before the iterations of the model (None: it did not).

    `sure` is False where that depends on unknown values.
    """

    left: EarlierExit | None
    sure: bool


def history_of(paths: DivergencePaths, threads: ThreadPair, model: Model, side: Side) -> History:
    """The history of a thread in the iterations before the one in which the barrier is reached."""
    sure = True
    numbers = [model.values.get(threads.rename(b, side), 0) for b in paths.point.binders]
    for depth, loop in enumerate(paths.point.loops):
        if numbers[depth] > _MOST_ITERATIONS:
            return History(None, False)
        stay = stay_conditions(loop, paths.barrier)
        exits = _exits_in(paths, depth)
        for iteration in range(numbers[depth]):
            at = dict(zip(paths.point.binders, map(const, (*numbers[:depth], iteration)), strict=False))
            for terms, leaves_kernel in ((stay, False), (exits, True)):
                holds = _holds(conj(*terms), paths, threads, model, side, at)
                if holds is False:
                    return History(EarlierExit(depth, iteration, leaves_kernel), sure)
                sure = sure and holds is not None
    return History(None, sure)


def _exits_in(paths: DivergencePaths, depth: int) -> tuple[Term, ...]:
    binders = paths.point.binders[: depth + 1]
    exits = [p.item for p in paths.points if isinstance(p.item, Exit) and p.binders == binders]
    return tuple(negate(conj(*x.guards)) for x in exits)


def _holds(
    term: Term, paths: DivergencePaths, threads: ThreadPair, model: Model, side: Side, iterations: dict[Symbol, Term]
) -> bool | None:
    """Whether a condition holds in these iterations; None: it depends on values that the model does not have."""
    (fixed,) = substitute((term,), iterations)
    (theirs,) = threads.of((fixed,), side)
    if any(s.name.removesuffix(SUFFIX[side]) in paths.protocol.symbols.private for s in symbols_of(theirs)):
        return None
    try:
        return bool(evaluate((theirs,), model.values, model.contents)[0])
    except EvaluationError:
        return None


def first_false(conditions: tuple[Term, ...], threads: ThreadPair, model: Model, side: Side) -> int | None:
    """The index of the first condition that the thread does not meet; None: it meets all that can be evaluated."""
    for index, term in enumerate(threads.of(conditions, side)):
        try:
            if not evaluate((term,), model.values, lambda a, i: model.reads.get((a, i), 0))[0]:
                return index
        except EvaluationError:
            continue
    return None
