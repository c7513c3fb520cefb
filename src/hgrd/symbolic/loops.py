"""Loops: one symbolic iteration stands for all.

The iteration number is a bounded symbol.  Variables that change by the same amount (or the same shift)
every iteration are written with it; others have an unknown value at the start of an iteration, of
origin DATA if memory contents went into them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hgrd.program import statements as ir
from hgrd.program.expressions import Expression
from hgrd.program.span import Span
from hgrd.program.types import BoolType, IntType, Type
from hgrd.symbolic.effects import Effects, EffectTable
from hgrd.symbolic.linear import Drifting, Progress, Scaling, Steady, linear, progress
from hgrd.symbolic.places import SHARED_SPACES
from hgrd.symbolic.state import EMPTY, ConditionKind, Generation, Region, State, merge, symbols_in
from hgrd.symbolic.values import Cell, FloatValue, MemoryObject, Pointer, Value
from hgrd.terms import (
    FALSE,
    TRUE,
    Op,
    Origin,
    Symbol,
    Term,
    add,
    as_int,
    const,
    disj,
    eq,
    le,
    mul,
    negate,
    shl,
    shr,
    var,
    wrap,
)

if TYPE_CHECKING:
    from hgrd.symbolic.machine import Machine

UNROLL_LIMIT = 64  # iterations of a loop that must be unrolled (it fills local arrays)
_MAX_TRIPS = (1 << 31) - 1


@dataclass(frozen=True, slots=True)
class Carried:
    """A cell that lives from one iteration to the next: its first value and its way of changing."""

    target: MemoryObject
    offset: int
    size: int
    first: Value
    progress: Progress
    origin: Origin
    bits: tuple[int, bool] | None  # integer type


@dataclass(frozen=True, slots=True)
class Shape:
    """A loop as the machine runs it: `test` before the body, or (do-while) after it."""

    test: Expression | None
    step: Expression | None
    body: ir.Statement
    test_first: bool
    span: Span


def loop(machine: Machine, state: State, statement: ir.Loop) -> State:
    return _run(machine, state, Shape(statement.condition, statement.step, statement.body, True, statement.span))


def do_while(machine: Machine, state: State, statement: ir.DoWhile) -> State:
    return _run(machine, state, Shape(statement.condition, None, statement.body, False, statement.span))


def _run(machine: Machine, state: State, shape: Shape) -> State:
    from hgrd.symbolic.expressions import condition

    if shape.test_first and shape.test is not None:
        first = _silently(machine, state.copy(), shape.test)
        if first is FALSE:
            condition(machine, state, shape.test)
            return state
    effects = EffectTable(machine.functions, {}).of((shape.body, shape.step, shape.test))
    unrolled = _unroll(machine, state, shape, effects)
    if unrolled is not None:
        return unrolled
    carried = _carried(machine, state, shape, effects)
    binder = _binder(machine, state, shape, carried)
    return _iterate(machine, state, shape, carried, binder)


def _silently(machine: Machine, state: State, test: Expression) -> Term:
    from hgrd.symbolic.expressions import condition

    machine.probing += 1
    try:
        return condition(machine, state, test)
    finally:
        machine.probing -= 1


# ---------------------------------------------------------------- what is carried


def _carried(machine: Machine, state: State, shape: Shape, effects: Effects) -> tuple[Carried, ...]:
    """The cells that an iteration changes, and how: found by a trial iteration on placeholders."""
    objects = _objects(machine, state, effects)
    cells = [(o, at, c) for o in objects for at, c in sorted(state.store.get(o.key, EMPTY).cells.items())]
    mark = machine.names.mark()
    trial = state.copy()
    placeholders: list[Symbol | None] = []
    for target in objects:
        trial.store[target.key] = Region({}, Generation())
    for target, at, cell in cells:
        placeholder = _placeholder(machine, target, cell.value, state)
        placeholders.append(placeholder[1])
        region = trial.store[target.key]
        trial.store[target.key] = Region({**region.cells, at: Cell(placeholder[0], cell.size)}, region.generation)
    after = _trial(machine, trial, shape) if any(p is not None for p in placeholders) else None
    return tuple(
        _classify(machine, (target, at, cell), placeholder, after, mark)
        for (target, at, cell), placeholder in zip(cells, placeholders, strict=True)
    )


def _objects(machine: Machine, state: State, effects: Effects) -> list[MemoryObject]:
    """Objects of this thread that the loop may change and that exist before it."""
    found: dict[str, MemoryObject] = {}
    for variable in sorted(effects.assigned | effects.exposed | effects.arrays, key=lambda v: v.key):
        target = machine.object_of(variable)
        if target.key in state.store and target.space not in SHARED_SPACES:
            found[target.key] = target
    if effects.through_pointers:
        for target in _pointed_to(state):
            if target.key in state.store and target.space not in SHARED_SPACES:
                found[target.key] = target
    return list(found.values())


def _pointed_to(state: State) -> list[MemoryObject]:
    from hgrd.symbolic.calls import reachable

    values = tuple(c.value for r in state.store.values() for c in r.cells.values())
    return reachable(state, tuple(v for v in values if not isinstance(v, Term | FloatValue)))


def _placeholder(machine: Machine, target: MemoryObject, value: Value, state: State) -> tuple[Value, Symbol | None]:
    """A symbol in place of the value at the start of an iteration."""
    match value:
        case Term():
            low, high = _type_range(target.element, value)
            symbol = machine.names.fresh(target.name, low, high, Origin.UNKNOWN)
            return var(symbol), symbol
        case Pointer(target=pointee):
            symbol = machine.names.fresh(target.name, -(1 << 40), 1 << 40, Origin.UNKNOWN)
            return Pointer(pointee, var(symbol)), symbol
        case FloatValue():
            symbol = machine.names.fresh(target.name, -(1 << 63), (1 << 63) - 1, Origin.DATA)
            return FloatValue(var(symbol)), None
        case _:
            return value, None


def _type_range(type_: Type | None, value: Term) -> tuple[int, int]:
    from hgrd.terms.interval import of_type

    match type_:
        case IntType(bits=bits, signed=signed):
            return of_type(bits, signed)
        case BoolType():
            return 0, 1
        case _:
            return min(value.low, -(1 << 63)), max(value.high, (1 << 63) - 1)


def _trial(machine: Machine, state: State, shape: Shape) -> State | None:
    """The state at the end of one iteration, nothing recorded."""
    machine.probing += 1
    depth = len(machine.frame.returns)
    try:
        return _body(machine, state, shape)[0]
    finally:
        machine.probing -= 1
        del machine.frame.returns[depth:]


def _body(machine: Machine, state: State, shape: Shape) -> tuple[State | None, list[State]]:
    """One iteration from `state`: the state before the next test, and the states that break out."""
    from hgrd.symbolic.expressions import condition, evaluate
    from hgrd.symbolic.machine import Exits
    from hgrd.symbolic.statements import execute

    if shape.test_first and shape.test is not None:
        state.assume(condition(machine, state, shape.test), ConditionKind.LOOP, shape.test.span)
    machine.semantics.begin_body(machine, state)
    exits = Exits()
    end = execute(machine, state, shape.body, exits) if state.alive else state
    after = merge([end, *exits.continues])
    if after is not None and shape.step is not None:
        evaluate(machine, after, shape.step)
    return after, exits.breaks


def _classify(
    machine: Machine,
    place: tuple[MemoryObject, int, Cell],
    placeholder: Symbol | None,
    after: State | None,
    mark: int,
) -> Carried:
    target, at, cell = place
    bits = (target.element.bits, target.element.signed) if isinstance(target.element, IntType) else None
    last = None if after is None else after.store.get(target.key, EMPTY).cells.get(at)
    if placeholder is None or last is None:
        origin = Origin.DATA if isinstance(cell.value, FloatValue) else Origin.UNKNOWN
        return Carried(target, at, cell.size, cell.value, None, origin, bits)
    change = _progress(machine, cell.value, last.value, placeholder, mark)
    touched = symbols_in(last.value) | symbols_in(cell.value)
    origin = Origin.DATA if any(s.origin is Origin.DATA for s in touched) or _reads(last.value) else Origin.UNKNOWN
    return Carried(target, at, cell.size, cell.value, change, origin, bits)


def _progress(machine: Machine, first: Value, last: Value, placeholder: Symbol, mark: int) -> Progress:
    match first, last:
        case Term(), Term():
            change = progress(as_int(last), placeholder)
        case Pointer(target=s), Pointer(target=t, offset=offset) if s == t:
            change = progress(offset, placeholder)
        case _:
            return None
    if isinstance(change, Steady):
        from hgrd.terms import symbols_of

        inside = symbols_of(change.delta)
        if not all(machine.names.older(s, mark) or s.name not in machine.names.index for s in inside):
            return Drifting(change.delta.low, change.delta.high)
    return change


def _reads(value: Value) -> bool:
    from hgrd.terms.rewrite import arrays_of

    return isinstance(value, Term) and bool(arrays_of(value))


# ---------------------------------------------------------------- one iteration for all


def _binder(machine: Machine, state: State, shape: Shape, carried: tuple[Carried, ...]) -> Symbol:
    """The iteration number, with the highest value that the loop's test allows by constants alone."""
    name = _binder_name(carried)
    limit = _MAX_TRIPS
    for c in carried:
        if isinstance(c.progress, Scaling):
            limit = min(limit, 64 // abs(c.progress.bits))
    if shape.test_first and shape.test is not None:
        trial = state.copy()
        probe = machine.names.fresh("trip", 0, _MAX_TRIPS, Origin.LOOP)
        _enter(machine, trial, carried, var(probe), silent=True)
        test = _silently(machine, trial, shape.test)
        for part in test.args if test.op is Op.AND else (test,):
            limit = min(limit, _highest(part, probe))
    return machine.names.fresh(name, 0, max(limit, 0), Origin.LOOP)


def _binder_name(carried: tuple[Carried, ...]) -> str:
    names = [c.target.name for c in carried if isinstance(c.progress, Steady | Scaling) and c.target.name]
    return f"{names[0]}#" if names else "iteration#"


def _highest(test: Term, probe: Symbol) -> int:
    """The highest iteration for which a comparison linear in it can hold."""
    if test.op not in (Op.LT, Op.LE):
        return _MAX_TRIPS
    constant, atoms = linear(test.args[0])
    other, more = linear(test.args[1])
    slope = atoms.pop(var(probe), 0) - more.pop(var(probe), 0)
    if slope <= 0:
        return _MAX_TRIPS
    low = constant - other + sum(c * (t.low if c > 0 else t.high) for t, c in atoms.items())
    low -= sum(c * (t.high if c > 0 else t.low) for t, c in more.items())
    room = -low - (1 if test.op is Op.LT else 0)
    return min(_MAX_TRIPS, max(room // slope, 0))


def _enter(machine: Machine, state: State, carried: tuple[Carried, ...], count: Term, *, silent: bool = False) -> None:
    """Sets carried cells to their values at the start of iteration `count`."""
    for target in {c.target.key for c in carried}:
        state.store[target] = Region({}, Generation())
    for c in carried:
        value = _at(machine, state, c, count, silent=silent)
        region = state.store[c.target.key]
        state.store[c.target.key] = Region({**region.cells, c.offset: Cell(value, c.size)}, region.generation)


def _at(machine: Machine, state: State, c: Carried, count: Term, *, silent: bool) -> Value:
    match c.first, c.progress:
        case Term() as first, Steady(delta=delta):
            return _typed(add(as_int(first), mul(delta, count)), c.bits)
        case Term() as first, Scaling(bits=bits) if bits > 0 or as_int(first).low >= 0:
            power = mul(count, const(abs(bits)))
            return _typed((shl if bits > 0 else shr)(as_int(first), power), c.bits)
        case Pointer(target=target, offset=offset), Steady(delta=delta):
            return Pointer(target, add(offset, mul(delta, count)))
        case first, change:
            return _unknown_at(machine, state, c, first, change, silent=silent)


def _typed(term: Term, bits: tuple[int, bool] | None) -> Term:
    return term if bits is None else wrap(term, bits[0], bits[1], soft=True)


def _unknown_at(machine: Machine, state: State, c: Carried, first: Value, change: Progress, *, silent: bool) -> Value:
    match first:
        case Term():
            low, high = _type_range(c.target.element, first)
            symbol = machine.names.fresh(c.target.name, low, high, c.origin)
            value: Value = var(symbol)
            term, start = var(symbol), as_int(first)
        case Pointer(target=target, offset=offset):
            symbol = machine.names.fresh(c.target.name, -(1 << 40), 1 << 40, c.origin)
            value = Pointer(target, var(symbol))
            term, start = var(symbol), offset
        case FloatValue():
            return FloatValue(var(machine.names.fresh(c.target.name, -(1 << 63), (1 << 63) - 1, Origin.DATA)))
        case _:
            return first
    if isinstance(change, Drifting) and not silent:
        if change.low >= 0:
            state.assume(le(start, term), ConditionKind.VALUE, c.target.span)
        if change.high <= 0:
            state.assume(le(term, start), ConditionKind.VALUE, c.target.span)
    return value


def _iterate(machine: Machine, state: State, shape: Shape, carried: tuple[Carried, ...], binder: Symbol) -> State:
    from hgrd.symbolic.expressions import condition

    inside = state.copy()
    inside.assume(le(const(0), var(binder)), ConditionKind.LOOP, shape.span)
    _enter(machine, inside, carried, var(binder))
    if not shape.test_first and shape.test is not None:
        again = _silently(machine, inside.copy(), shape.test)
        inside.assume(disj(eq(var(binder), const(0)), again), ConditionKind.LOOP, shape.test.span)
    machine.semantics.enter_loop(machine, inside, binder, shape.span)
    after, breaks = _body(machine, inside, shape)
    if not shape.test_first and shape.test is not None and after is not None:
        condition(machine, after, shape.test)  # its accesses belong to the iteration
    least = _least_count(machine, state, shape, carried, binder, breaks)
    count = machine.names.fresh(f"{binder.name}end", least, min(binder.high + 1, _MAX_TRIPS), Origin.COUNT)
    machine.semantics.leave_loop(machine, binder, count)
    return _after(machine, state, shape, carried, count, (after, breaks))


def _least_count(
    machine: Machine, state: State, shape: Shape, carried: tuple[Carried, ...], binder: Symbol, breaks: list[State]
) -> int:
    """A lower bound of the number of iterations: exact for a counting loop between constants."""
    if not shape.test_first or shape.test is None or any(b.alive for b in breaks) or binder.high >= _MAX_TRIPS:
        return 0
    last = state.copy()
    _enter(machine, last, carried, const(binder.high), silent=True)
    return binder.high + 1 if _silently(machine, last, shape.test) is TRUE else 0


def _after(
    machine: Machine,
    state: State,
    shape: Shape,
    carried: tuple[Carried, ...],
    count: Symbol,
    ends: tuple[State | None, list[State]],
) -> State:
    """The state behind the loop: after some number of iterations the test fails, or a break left."""
    after, breaks = ends
    left_early = any(b.alive for b in breaks)
    if shape.test is None and not left_early:
        state.kill(shape.span)
        return state
    if after is None and not left_early and not shape.test_first:
        state.kill(shape.span)
        return state
    _enter(machine, state, carried, var(count))
    if shape.test is None or not shape.test_first:
        return state
    if not left_early:
        done = _silently(machine, state.copy(), shape.test)
        state.assume(negate(done), ConditionKind.LOOP, shape.test.span)
    before = state.copy()
    _enter(machine, before, carried, add(var(count), const(-1)), silent=True)
    entered = _silently(machine, before, shape.test)
    state.assume(disj(eq(var(count), const(0)), entered), ConditionKind.LOOP, shape.test.span)
    return state


# ---------------------------------------------------------------- unrolling


def _unroll(machine: Machine, state: State, shape: Shape, effects: Effects) -> State | None:
    """Runs a loop that fills local arrays iteration by iteration, if its trip count is a small constant."""
    if not shape.test_first or shape.test is None or not _fills_arrays(machine, state, effects):
        return None
    machine.probing += 1
    returns = len(machine.frame.returns)
    try:
        trips = _count(machine, state.copy(), shape)
    finally:
        machine.probing -= 1
        del machine.frame.returns[returns:]
    if trips is None:
        return None
    out: list[State] = []
    current: State | None = state
    for _ in range(trips):
        if current is None:
            break
        current, breaks = _body(machine, current, shape)
        out.extend(breaks)
    ends = [*out, *([current] if current is not None else [])]
    merged = merge(ends)
    if merged is None:
        state.kill(shape.span)
        return state
    return merged


def _fills_arrays(machine: Machine, state: State, effects: Effects) -> bool:
    return any(
        machine.object_of(v).space not in SHARED_SPACES and machine.object_of(v).key in state.store
        for v in effects.arrays
    )


def _count(machine: Machine, state: State, shape: Shape) -> int | None:
    """The constant number of iterations, if there is one within the limit."""
    from hgrd.symbolic.expressions import condition

    assert shape.test is not None
    for trips in range(UNROLL_LIMIT + 1):
        test = condition(machine, state.copy(), shape.test)
        if test is FALSE:
            return trips
        if test is not TRUE:
            return None
        after, _ = _body(machine, state, shape)
        if after is None:
            return None
        state = after
    return None
