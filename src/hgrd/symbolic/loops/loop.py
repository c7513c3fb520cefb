"""Loops: one symbolic iteration stands for all.

The iteration number is a bounded symbol; the loop's recurrences say how variables depend on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import nullcontext

from msgspec.structs import replace

from hgrd.program import expressions as ex
from hgrd.program import statements as ir
from hgrd.program.expressions import Expression
from hgrd.program.span import Span
from hgrd.symbolic.exits import IterationExits
from hgrd.symbolic.loops.carried import classify_carried
from hgrd.symbolic.loops.fill_recognition import FilledArrays, recognise_fills
from hgrd.symbolic.loops.inequality_tests import can_be_equal, highest_before_equal, never_equal
from hgrd.symbolic.loops.iteration import (
    LoopShape,
    run_iteration,
    run_to_test,
    speculation,
    speculative_iteration,
    speculative_test,
)
from hgrd.symbolic.loops.recurrences import LoopSummary, apply_recurrences, computed_from
from hgrd.symbolic.loops.unrolling import unroll
from hgrd.symbolic.machine import Exits, Machine
from hgrd.symbolic.names import hidden
from hgrd.symbolic.state import ConditionKind, State, common_length, merge
from hgrd.terms import (
    FALSE,
    TRUE,
    Op,
    Origin,
    Symbol,
    Term,
    add,
    conj,
    const,
    disj,
    eq,
    le,
    negate,
    sub,
    symbols_of,
    var,
)
from hgrd.terms.interval import of_type
from hgrd.terms.linear import Scaling, Steady, linear
from hgrd.terms.rewrite import bottom_up

MAX_TRIPS = (1 << 31) - 1  # of loops that no constant bounds
_ANY_TRIP = 1 << 40
_MOST_WAYS = 4  # of leaving a loop that are distinguished
_MOST_STEPS = 4_000  # to look ahead into a loop that may fill arrays


def loop(machine: Machine, state: State, statement: ir.Loop) -> State:
    """The state after a `for` or `while` loop."""
    return _run(machine, state, LoopShape(statement.condition, statement.step, statement.body, True, statement.span))


def do_while(machine: Machine, state: State, statement: ir.DoWhile) -> State:
    """The state after a `do` loop."""
    if _never(statement.condition):
        return _once(machine, state, statement)
    return _run(machine, state, LoopShape(statement.condition, None, statement.body, False, statement.span))


def _never(test: Expression) -> bool:
    while isinstance(test, ex.Convert):
        test = test.operand
    return isinstance(test, ex.IntConst) and test.value == 0


def _once(machine: Machine, state: State, statement: ir.DoWhile) -> State:
    """The state after `do … while (0)`, which macros use."""
    exits = Exits()
    end = machine.execute(state, statement.body, exits)
    return merge((end, *exits.breaks, *exits.continues)) or end


def _run(machine: Machine, state: State, shape: LoopShape) -> State:
    if shape.test_first and shape.test is not None:
        first = speculative_test(machine, state.copy(), shape.test)
        if first is FALSE:
            machine.condition(state, shape.test)
            return state
    machine.semantics.look_ahead(machine)
    effects = machine.effects.of(shape.body, shape.step, shape.test)
    unrolled = unroll(machine, state, shape, effects)
    if unrolled is not None:
        return unrolled
    begun = machine.steps
    summary = classify_carried(
        machine, state, effects, shape.span, lambda start: speculative_iteration(machine, start, shape)
    )
    large = machine.steps - begun > _MOST_STEPS
    binder = _binder(machine, state, shape, summary)
    watched = summary.ends.returns or (not machine.speculative and machine.semantics.must_record(effects))
    ends = _iterate(machine, state, shape, summary, binder) if watched else summary.ends
    least = _least_count(machine, state, shape, summary, binder, ends.breaks)
    most = MAX_TRIPS if binder.high == MAX_TRIPS else binder.high + 1
    count = machine.names.fresh(f"{binder.name}end", least, most, Origin.COUNT)
    in_step = _exit_in_step(machine, state, shape, summary, binder, ends.breaks if watched else None)
    if in_step is not None:
        machine.semantics.mark_uniform(count, given=in_step)
    known = machine.semantics.leave_loop(machine, binder, count, ends) if watched else ()
    followed = {key: state.store[key].stores for key in summary.changed & state.store.keys()}
    kept = not large and (not machine.speculative or any(stores is not None for stores in followed.values()))
    kept = kept and machine.semantics.wants_patterns(effects)
    found = recognise_fills(machine, state, shape, summary, binder) if kept else FilledArrays(binder)
    after = _after(machine, state, shape, summary, binder, count, ends, in_step=in_step)
    stays = bool(ends.returned) and len(machine.frames) == 1  # not every thread comes here
    for term in known:
        after.assume(term, ConditionKind.VALUE if stays else ConditionKind.ENDED, shape.span)
    for target, fills in () if machine.speculative else found.at_exit(after, var(count), shape):
        machine.semantics.note_patterns(after, target, fills)
    for made in found.runs(after, var(count)):
        before = followed.get(made.target.key)
        if before is not None:
            region = after.store[made.target.key]
            after.store[made.target.key] = replace(region, stores=(*before, made))
    return after


# ---------------------------------------------------------------- one iteration for all


def _binder(machine: Machine, state: State, shape: LoopShape, summary: LoopSummary) -> Symbol:
    """The iteration number, a symbol with the highest value that constants in the loop's test allow."""
    name = _binder_name(summary)
    limits = [64 // abs(c.progress.bits) for c in summary.cells if isinstance(c.progress, Scaling)]
    limit = min(limits, default=MAX_TRIPS)
    if shape.test is not None:
        probe = machine.names.fresh("trip~", 0, _ANY_TRIP, Origin.LOOP)
        test = _test_at(machine, state, shape, summary, var(probe))
        parts = () if test is None else test.args if test.op is Op.AND else (test,)
        limits += [
            h for part in parts for find in (_highest, highest_before_equal) if (h := find(part, probe)) is not None
        ]
        limit = min(limits, default=MAX_TRIPS)
        if limit <= 64:
            tested = range(0 if shape.test_first else 1, limit + 1)
            ends = (k - 1 for k in tested if _test_at(machine, state, shape, summary, const(k)) is FALSE)
            limit = next(ends, limit)
    return machine.names.fresh(hidden(name) if machine.speculative else name, 0, max(limit, 0), Origin.LOOP)


def _binder_name(summary: LoopSummary) -> str:
    """The name of the iteration number: `i#` where variable i equals it, `s.iteration#` where s is a function of it."""
    counting = [c for c in summary.cells if isinstance(c.progress, Steady | Scaling) and c.changes]
    for c in counting:
        if c.first is const(0) and isinstance(c.progress, Steady) and c.progress.delta is const(1):
            return f"{c.target.name}#"
    return f"{counting[0].target.name}.iteration#" if counting else "iteration#"


def _highest(test: Term, probe: Symbol) -> int | None:
    """The highest iteration for which a comparison linear in it can hold; None if it has no bound."""
    if test.op not in (Op.LT, Op.LE):
        return None
    constant, atoms = linear(sub(*test.args))
    slope = atoms.pop(var(probe), 0)
    if slope <= 0:
        return None
    low = constant + sum(c * (t.low if c > 0 else t.high) for t, c in atoms.items())
    room = -low - (1 if test.op is Op.LT else 0)
    highest = max(room // slope, 0)
    return min(MAX_TRIPS, highest) if atoms else highest


def _iterate(machine: Machine, state: State, shape: LoopShape, summary: LoopSummary, binder: Symbol) -> IterationExits:
    """Runs the iteration that stands for all, so that it is recorded."""
    inside = state.copy()
    inside.assume(le(const(0), var(binder)), ConditionKind.LOOP, shape.span)
    if shape.test_first and shape.test is not None:  # every iteration follows the first
        with machine.semantics.loop_test(machine, shape.test):
            first = speculative_test(machine, state.copy(), shape.test)
        inside.assume(first, ConditionKind.VALUE, shape.test.span)
    apply_recurrences(machine, inside, summary, var(binder))
    untold = False
    if shape.test is not None:
        again = _test_before(machine, inside, shape, summary, var(binder))
        untold = again is None and not shape.test_first
        if shape.test_first and again is not None:
            _choose(inside, again, shape.test.span)
        if not shape.test_first and again is not None:
            inside.assume(disj(eq(var(binder), const(0)), again), ConditionKind.LOOP, shape.test.span)
        for in_range in _ends_before_wrapping(again, binder):
            inside.assume(in_range, ConditionKind.VALUE, shape.test.span)
        before = never_equal(again, binder, 0 if shape.test_first else 1, _steady(machine, binder))
        inside.assume(before, ConditionKind.VALUE, shape.test.span)
    changed = summary.changed - summary.steady
    machine.semantics.enter_loop(machine, inside, binder, shape.span, untold=untold, changed=changed)
    depth = len(machine.frame.returns)
    after, breaks = run_iteration(machine, inside, shape)
    returned = tuple(state for state, _ in machine.frame.returns[depth:])
    return IterationExits(after, breaks, summary.ends.returns, returned)


def _choose(state: State, test: Term, span: Span) -> None:
    """Marks conditions of the first iteration as loop bounds where every iteration tests the same."""
    parts = test.args if test.op is Op.AND else (test,)
    state.path = tuple(
        replace(c, kind=ConditionKind.LOOP)
        if c.kind is ConditionKind.VALUE and c.span == span and c.term in parts
        else c
        for c in state.path
    )


def _test_before(
    machine: Machine, state: State, shape: LoopShape, summary: LoopSummary, iteration: Term
) -> Term | None:
    """The test before an iteration (for a do-while, not the first) that starts in `state`; None: unknown."""
    assert shape.test is not None
    effects = machine.effects.of(shape.test)
    if shape.test_first or not (effects.assigned or effects.arrays or effects.through_pointers):
        return speculative_test(machine, state.copy(), shape.test)
    mark = machine.names.mark()
    before = state.copy()
    apply_recurrences(machine, before, summary, add(iteration, const(-1)), speculative=True)
    with speculation(machine):
        end, _ = run_to_test(machine, before, shape)
    test = None if end is None else speculative_test(machine, end, shape.test)
    return test if test is not None and _known_since(machine, test, mark) else None


def _steady(machine: Machine, binder: Symbol) -> Callable[[Symbol], bool]:
    """A predicate: whether a symbol is older than a loop, so the same in all its iterations."""
    names = machine.names
    return lambda s: s.name not in names.index or names.older(s, names.index[binder.name])


def _known_since(machine: Machine, term: Term, mark: int) -> bool:
    """Whether all symbols in it are older than the mark."""
    names = machine.names
    return all(names.older(s, mark) or s.name not in names.index for s in symbols_of(term))


def _ends_before_wrapping(test: Term | None, binder: Symbol) -> Iterator[Term]:
    """Conditions that the sides of a test which the iterations change have not wrapped: the loop ends before."""
    for term in bottom_up(() if test is None else (test,)):
        if term.op is Op.WRAP and term.wrap_to[2] and binder in symbols_of(term):
            low, high = of_type(*term.wrap_to[:2])
            value = term.args[0]
            slope = linear(value)[1].get(var(binder), 0)
            if slope <= 0:
                yield le(const(low), value)
            if slope >= 0:
                yield le(value, const(high))


def _least_count(
    machine: Machine, state: State, shape: LoopShape, summary: LoopSummary, binder: Symbol, breaks: list[State]
) -> int:
    """A lower bound of the number of iterations: exact for a counting loop between constants."""
    if not shape.test_first or shape.test is None or any(b.alive for b in breaks) or binder.high >= MAX_TRIPS:
        return 0
    last, next_ = (_test_at(machine, state, shape, summary, const(binder.high + i)) for i in (0, 1))
    return binder.high + 1 if last is TRUE and next_ is FALSE else 0


def _test_at(machine: Machine, state: State, shape: LoopShape, summary: LoopSummary, iteration: Term) -> Term | None:
    """The test before an iteration, as `_test_before`; `state` is the one before the loop."""
    start = state.copy()
    apply_recurrences(machine, start, summary, iteration, speculative=True)
    return _test_before(machine, start, shape, summary, iteration)


def _exit_in_step(
    machine: Machine, state: State, shape: LoopShape, summary: LoopSummary, binder: Symbol, breaks: list[State] | None
) -> frozenset[str] | None:
    """Names of what must be uniform for all threads that run the loop to leave it in the same iteration.

    None: they may not.  `breaks` None: they are unknown.
    """
    if breaks is None and any(b.alive for b in summary.ends.breaks):
        return None
    test = TRUE if shape.test is None else _test_at(machine, state, shape, summary, var(binder))
    if test is None:
        return None
    chosen = (c.term for b in breaks or () if b.alive for c in b.path[len(state.path) :] if not c.incidental)
    needed: set[str] = set()
    for condition in (test, *chosen):
        given = machine.semantics.uniform_given(condition)
        if given is None:
            return None
        needed |= given
    return frozenset(needed)


def _after(
    machine: Machine,
    state: State,
    shape: LoopShape,
    summary: LoopSummary,
    binder: Symbol,
    count: Symbol,
    ends: IterationExits,
    *,
    in_step: frozenset[str] | None,
) -> State:
    """The state after the loop: after `count` iterations the test fails, or a break left it."""
    left_early = any(b.alive for b in ends.breaks)
    if shape.test is None and not left_early:
        state.kill(shape.span)
        return state
    if ends.after is None and not left_early and not shape.test_first:
        state.kill(shape.span)
        return state
    outside = state.copy()
    apply_recurrences(machine, state, summary, var(count), at_exit=True, in_step=in_step)
    for made, given in computed_from(machine, state, summary):
        machine.semantics.note_computed(made, given)
    if shape.test is None:
        _left_by_break(outside, state, ends.breaks, shape.span)
        return state
    first = const(0 if shape.test_first or left_early else 1)
    state.assume(le(first, var(count)), ConditionKind.ENDED, shape.span)
    if not left_early:
        with machine.semantics.loop_test(machine, shape.test, count) if shape.test_first else nullcontext():
            done = _test_before(machine, state, shape, summary, var(count))
        if shape.test_first:
            speculative_test(machine, state, shape.test)  # the failing test is run, too
        if done is not None:
            state.assume(negate(done), ConditionKind.ENDED, shape.test.span)
            ends_at_all = can_be_equal(done, count, 0 if shape.test_first else 1, _steady(machine, binder))
            state.assume(ends_at_all, ConditionKind.VALUE, shape.test.span)
    mark = machine.names.mark()
    before = state.copy()
    apply_recurrences(machine, before, summary, add(var(count), const(-1)), speculative=True, in_step=in_step)
    entered = _test_before(machine, before, shape, summary, add(var(count), const(-1)))
    if entered is not None and _known_since(machine, entered, mark):
        earlier = never_equal(entered, count, 1 if shape.test_first else 2, _steady(machine, binder))
        state.assume(disj(le(var(count), first), conj(entered, earlier)), ConditionKind.ENDED, shape.test.span)
    return state


def _left_by_break(before: State, state: State, breaks: list[State], span: Span) -> None:
    """Assumes that a loop without a test ended at one of its breaks: one of their conditions held.

    (The symbols of the iteration now stand for the last one.)
    """
    ways = [conj(*(c.term for c in b.path[common_length(before, b) :])) for b in breaks if b.alive]
    if len(ways) <= _MOST_WAYS:
        state.assume(disj(*ways), ConditionKind.ENDED, span)
