"""Loops: one symbolic iteration stands for all.

The iteration number is a bounded symbol; `carried` tells how variables depend on it.
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
from hgrd.symbolic.loops.carried import plan
from hgrd.symbolic.loops.fill_recognition import Found, filling
from hgrd.symbolic.loops.inequality_tests import can_be_equal, highest_before_equal, never_equal
from hgrd.symbolic.loops.iteration import Shape, one_iteration, silently, trial, unrecorded, up_to_test
from hgrd.symbolic.loops.recurrences import Plan, enter
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
_MOST_WAYS = 4  # of leaving a loop that are told apart


def loop(machine: Machine, state: State, statement: ir.Loop) -> State:
    return _run(machine, state, Shape(statement.condition, statement.step, statement.body, True, statement.span))


def do_while(machine: Machine, state: State, statement: ir.DoWhile) -> State:
    if _never(statement.condition):
        return _once(machine, state, statement)
    return _run(machine, state, Shape(statement.condition, None, statement.body, False, statement.span))


def _never(test: Expression) -> bool:
    while isinstance(test, ex.Convert):
        test = test.operand
    return isinstance(test, ex.IntConst) and test.value == 0


def _once(machine: Machine, state: State, statement: ir.DoWhile) -> State:
    """`do … while (0)`, as macros have it."""
    exits = Exits()
    end = machine.execute(state, statement.body, exits)
    return merge((end, *exits.breaks, *exits.continues)) or end


def _run(machine: Machine, state: State, shape: Shape) -> State:
    if shape.test_first and shape.test is not None:
        first = silently(machine, state.copy(), shape.test)
        if first is FALSE:
            machine.condition(state, shape.test)
            return state
    effects = machine.effects.of(shape.body, shape.step, shape.test)
    unrolled = unroll(machine, state, shape, effects)
    if unrolled is not None:
        return unrolled
    carried = plan(machine, state, effects, lambda start: trial(machine, start, shape))
    binder = _binder(machine, state, shape, carried)
    watched = carried.ends.returns or (not machine.speculative and machine.semantics.must_record(effects))
    ends = _iterate(machine, state, shape, carried, binder) if watched else carried.ends
    least = _least_count(machine, state, shape, carried, binder, ends.breaks)
    most = MAX_TRIPS if binder.high == MAX_TRIPS else binder.high + 1
    count = machine.names.fresh(f"{binder.name}end", least, most, Origin.COUNT)
    together = _together(machine, state, shape, carried, binder, ends.breaks if watched else None)
    if together:
        machine.semantics.mark_uniform(count)
    known = machine.semantics.leave_loop(machine, binder, count, ends) if watched else ()
    kept = not machine.speculative and machine.semantics.wants_patterns(effects)
    found = filling(machine, state, shape, carried, binder) if kept else Found()
    after = _after(machine, state, shape, carried, binder, count, ends, together=together)
    stays = bool(ends.returned) and len(machine.frames) == 1  # not every thread comes here
    for term in known:
        after.assume(term, ConditionKind.VALUE if stays else ConditionKind.ENDED, shape.span)
    for target, fills in found.behind(after):
        machine.semantics.note_patterns(after, target, fills)
    return after


# ---------------------------------------------------------------- one iteration for all


def _binder(machine: Machine, state: State, shape: Shape, carried: Plan) -> Symbol:
    """The iteration number, with the highest value that the loop's test allows by constants alone."""
    name = _binder_name(carried)
    limits = [64 // abs(c.progress.bits) for c in carried.cells if isinstance(c.progress, Scaling)]
    limit = min(limits, default=MAX_TRIPS)
    if shape.test is not None:
        probe = machine.names.fresh("trip~", 0, _ANY_TRIP, Origin.LOOP)
        test = _test_at(machine, state, shape, carried, var(probe))
        parts = () if test is None else test.args if test.op is Op.AND else (test,)
        limits += [
            h for part in parts for find in (_highest, highest_before_equal) if (h := find(part, probe)) is not None
        ]
        limit = min(limits, default=MAX_TRIPS)
        if limit <= 64:
            tested = range(0 if shape.test_first else 1, limit + 1)
            ends = (k - 1 for k in tested if _test_at(machine, state, shape, carried, const(k)) is FALSE)
            limit = next(ends, limit)
    return machine.names.fresh(hidden(name) if machine.speculative else name, 0, max(limit, 0), Origin.LOOP)


def _binder_name(carried: Plan) -> str:
    """`i#` where the variable i is the iteration number, `s.iteration#` where s only follows from it."""
    counting = [c for c in carried.cells if isinstance(c.progress, Steady | Scaling) and c.changes]
    for c in counting:
        if c.first is const(0) and isinstance(c.progress, Steady) and c.progress.delta is const(1):
            return f"{c.target.name}#"
    return f"{counting[0].target.name}.iteration#" if counting else "iteration#"


def _highest(test: Term, probe: Symbol) -> int | None:
    """The highest iteration for which a comparison linear in it can hold."""
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


def _iterate(machine: Machine, state: State, shape: Shape, carried: Plan, binder: Symbol) -> IterationExits:
    """The iteration that stands for all, for what is to be taken down in it."""
    inside = state.copy()
    inside.assume(le(const(0), var(binder)), ConditionKind.LOOP, shape.span)
    if shape.test_first and shape.test is not None:  # no iteration without the first
        with machine.semantics.loop_test(machine, shape.test):
            first = silently(machine, state.copy(), shape.test)
        inside.assume(first, ConditionKind.VALUE, shape.test.span)
    enter(machine, inside, carried, var(binder))
    untold = False
    if shape.test is not None:
        again = _test_before(machine, inside, shape, carried, var(binder))
        untold = again is None and not shape.test_first
        if shape.test_first and again is not None:
            _choose(inside, again, shape.test.span)
        if not shape.test_first and again is not None:
            inside.assume(disj(eq(var(binder), const(0)), again), ConditionKind.LOOP, shape.test.span)
        for in_range in _ends_before_wrapping(again, binder):
            inside.assume(in_range, ConditionKind.VALUE, shape.test.span)
        before = never_equal(again, binder, 0 if shape.test_first else 1, _steady(machine, binder))
        inside.assume(before, ConditionKind.VALUE, shape.test.span)
    machine.semantics.enter_loop(machine, inside, binder, shape.span, untold=untold)
    depth = len(machine.frame.returns)
    after, breaks = one_iteration(machine, inside, shape)
    returned = tuple(state for state, _ in machine.frame.returns[depth:])
    return IterationExits(after, breaks, carried.ends.returns, returned)


def _choose(state: State, test: Term, span: Span) -> None:
    """What every iteration tests alike is a choice of the program, not only known of the first."""
    parts = test.args if test.op is Op.AND else (test,)
    state.path = tuple(
        replace(c, kind=ConditionKind.LOOP)
        if c.kind is ConditionKind.VALUE and c.span == span and c.term in parts
        else c
        for c in state.path
    )


def _test_before(machine: Machine, state: State, shape: Shape, carried: Plan, iteration: Term) -> Term | None:
    """The test that leads into an iteration (for a do-while, not the first), at whose start `state` is.

    None: it is not known.
    """
    assert shape.test is not None
    effects = machine.effects.of(shape.test)
    if shape.test_first or not (effects.assigned or effects.arrays or effects.through_pointers):
        return silently(machine, state.copy(), shape.test)
    mark = machine.names.mark()
    before = state.copy()
    enter(machine, before, carried, add(iteration, const(-1)), silent=True)
    with unrecorded(machine):
        end, _ = up_to_test(machine, before, shape)
    test = None if end is None else silently(machine, end, shape.test)
    return test if test is not None and _known_since(machine, test, mark) else None


def _steady(machine: Machine, binder: Symbol) -> Callable[[Symbol], bool]:
    """Whether a symbol is older than a loop, and the same in all its iterations."""
    names = machine.names
    return lambda s: s.name not in names.index or names.older(s, names.index[binder.name])


def _known_since(machine: Machine, term: Term, mark: int) -> bool:
    """Whether all symbols in it are older than the mark."""
    names = machine.names
    return all(names.older(s, mark) or s.name not in names.index for s in symbols_of(term))


def _ends_before_wrapping(test: Term | None, binder: Symbol) -> Iterator[Term]:
    """That what a test compares, and the iterations change, has not wrapped yet: the loop ends before."""
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
    machine: Machine, state: State, shape: Shape, carried: Plan, binder: Symbol, breaks: list[State]
) -> int:
    """A lower bound of the number of iterations: exact for a counting loop between constants."""
    if not shape.test_first or shape.test is None or any(b.alive for b in breaks) or binder.high >= MAX_TRIPS:
        return 0
    last, behind = (_test_at(machine, state, shape, carried, const(binder.high + i)) for i in (0, 1))
    return binder.high + 1 if last is TRUE and behind is FALSE else 0


def _test_at(machine: Machine, state: State, shape: Shape, carried: Plan, iteration: Term) -> Term | None:
    """The test that leads into an iteration, as `_test_before`, the loop being entered in `state`."""
    start = state.copy()
    enter(machine, start, carried, iteration, silent=True)
    return _test_before(machine, start, shape, carried, iteration)


def _together(
    machine: Machine, state: State, shape: Shape, carried: Plan, binder: Symbol, breaks: list[State] | None
) -> bool:
    """Whether all who run the loop leave it in the same iteration.  `breaks` None: of these nothing is known."""
    if breaks is None and any(b.alive for b in carried.ends.breaks):
        return False
    test = TRUE if shape.test is None else _test_at(machine, state, shape, carried, var(binder))
    chosen = (c.term for b in breaks or () if b.alive for c in b.path[len(state.path) :] if not c.incidental)
    return test is not None and all(map(machine.semantics.is_uniform, (test, *chosen)))


def _after(
    machine: Machine,
    state: State,
    shape: Shape,
    carried: Plan,
    binder: Symbol,
    count: Symbol,
    ends: IterationExits,
    *,
    together: bool,
) -> State:
    """The state behind the loop: after some number of iterations the test fails, or a break left."""
    left_early = any(b.alive for b in ends.breaks)
    if shape.test is None and not left_early:
        state.kill(shape.span)
        return state
    if ends.after is None and not left_early and not shape.test_first:
        state.kill(shape.span)
        return state
    outside = state.copy()
    enter(machine, state, carried, var(count), behind=True, together=together)
    if shape.test is None:
        _left_by_break(outside, state, ends.breaks, shape.span)
        return state
    first = const(0 if shape.test_first or left_early else 1)
    state.assume(le(first, var(count)), ConditionKind.ENDED, shape.span)
    if not left_early:
        with machine.semantics.loop_test(machine, shape.test, count) if shape.test_first else nullcontext():
            done = _test_before(machine, state, shape, carried, var(count))
        if shape.test_first:
            silently(machine, state, shape.test)  # the test that fails is made, too
        if done is not None:
            state.assume(negate(done), ConditionKind.ENDED, shape.test.span)
            ends_at_all = can_be_equal(done, count, 0 if shape.test_first else 1, _steady(machine, binder))
            state.assume(ends_at_all, ConditionKind.VALUE, shape.test.span)
    mark = machine.names.mark()
    before = state.copy()
    enter(machine, before, carried, add(var(count), const(-1)), silent=True, together=together)
    entered = _test_before(machine, before, shape, carried, add(var(count), const(-1)))
    if entered is not None and _known_since(machine, entered, mark):
        earlier = never_equal(entered, count, 1 if shape.test_first else 2, _steady(machine, binder))
        state.assume(disj(le(var(count), first), conj(entered, earlier)), ConditionKind.ENDED, shape.test.span)
    return state


def _left_by_break(before: State, state: State, breaks: list[State], span: Span) -> None:
    """A loop without a test has ended where one of its breaks was reached: what held there.

    (The symbols of the iteration now stand for the last one.)
    """
    ways = [conj(*(c.term for c in b.path[common_length(before, b) :])) for b in breaks if b.alive]
    if len(ways) <= _MOST_WAYS:
        state.assume(disj(*ways), ConditionKind.ENDED, span)
