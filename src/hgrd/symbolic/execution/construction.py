"""Construction of new objects: their constructors run on them, on each of an array's in turn."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from hgrd.program import expressions as ir
from hgrd.program.span import Span
from hgrd.program.statements import Evaluate, Loop
from hgrd.program.types import ArrayType, BoolType, IntType, PointerType, Type, VoidType
from hgrd.symbolic.execution.calls import may_enter, run, unknown_call
from hgrd.symbolic.machine import Exits, Machine
from hgrd.symbolic.memory.lvalues import SHARED_SPACES, load, store
from hgrd.symbolic.state import Generation, Region, State
from hgrd.symbolic.values import OPAQUE, Composite, MemoryObject, Pointer, Value, pointed_to
from hgrd.terms import add, const
from hgrd.terms.term import Term

_COUNT: Final = IntType(64, False)
_MOST_APART: Final = 16  # objects that are made one by one


def construct(machine: Machine, state: State, e: ir.Construct) -> Value:
    """Runs the constructor on a new temporary and takes its value."""
    target = machine.temporary("object", e.type, e.span)
    here = Pointer(target, const(0))
    known = _construct_at(machine, state, e, here)
    value = load(machine, state, here, e.type, e.span) if known is None else known
    state.store.pop(target.key, None)
    return _moved(state, value, target) if _has_body(machine, e) else value


def _moved(state: State, value: Value, before: MemoryObject) -> Value:
    """The value without pointers to the temporary that its constructor ran on: they are unknown now."""
    for key, region in state.store.items():
        if any(before in pointed_to(cell.value) for cell in region.cells.values()):
            cells = {at: replace(cell, value=_without(cell.value, before)) for at, cell in region.cells.items()}
            state.store[key] = replace(region, cells=cells)
    return _without(value, before)


def _without(value: Value, before: MemoryObject) -> Value:
    match value:
        case Composite(cells=cells):
            kept = {at: replace(cell, value=_without(cell.value, before)) for at, cell in cells.items()}
            return replace(value, cells=kept)
        case _:
            return OPAQUE if before in pointed_to(value) else value


def initialise(machine: Machine, state: State, here: Pointer, initial: ir.Expression, type_: Type, span: Span) -> None:
    """Initialises a new object: a constructor runs on the object itself, and may keep its address
    (C++, [class.copy.elision]).
    """
    made = initial if here.target.space not in SHARED_SPACES and isinstance(initial, ir.Construct) else None
    if made is not None and isinstance(type_, ArrayType) and (whole := _elements(type_)) is not None:
        construct_each(machine, state, replace(made, type=whole[0]), here, const(whole[1]))
        return
    if made is not None and _has_body(machine, made):
        value = _construct_at(machine, state, made, here)
    else:
        value = machine.evaluate(state, initial)
    if value is not None and state.alive:
        store(machine, state, here, value, type_, span)


def _elements(array: Type) -> tuple[Type, int] | None:
    """The type and the number of the objects in an array, or in the arrays in it; None: how many is not known."""
    match array:
        case ArrayType(of=of, count=int() as count):
            inside = _elements(of)
            return None if inside is None else (inside[0], count * inside[1])
        case ArrayType():
            return None
        case _:
            return array, 1


def construct_each(machine: Machine, state: State, e: ir.Construct, first: Pointer, count: Term) -> None:
    """Runs a constructor on each of `count` objects that stand one after the other (C++ [dcl.init.general]).

    for (; made < count; made++) new (first + made) T(…);
    """
    size = machine.size(e.type) or 1
    if count.is_const and count.value <= _MOST_APART:
        for number in range(count.value):
            here = replace(first, offset=add(first.offset, const(number * size)))
            value = _construct_at(machine, state, e, here)
            if value is not None and state.alive:
                store(machine, state, here, value, e.type, e.span)
    elif _has_body(machine, e):
        _construct_in_loop(machine, state, e, first, count, size)
    else:
        machine.evaluate(state, e)


def _construct_in_loop(machine: Machine, state: State, e: ir.Construct, first: Pointer, count: Term, size: int) -> None:
    assert e.constructor is not None
    class_, span = PointerType(e.type), e.span
    begin, made, many = (
        _variable(name, t, span) for name, t in (("first", class_), ("made", _COUNT), ("count", _COUNT))
    )
    for variable, value in ((begin, first), (made, const(0)), (many, count)):
        here = machine.local_object(variable)
        state.store[here.key] = Region({}, Generation())
        store(machine, state, Pointer(here, const(0)), value, variable.type, span)
    here = ir.PointerAdd(_read(begin), _read(made), size, class_, span)
    one, place = ir.IntConst(1, _COUNT, span), ir.VariablePlace(made, span)
    end = machine.execute(
        state,
        Loop(
            ir.Binary(ir.BinaryOp.LT, _read(made), _read(many), BoolType(), span),
            ir.Update(ir.BinaryOp.ADD, place, one, _COUNT, 0, True, _COUNT, span),
            Evaluate(ir.Call(e.constructor, (here, *e.arguments), VoidType(), span), span),
            span,
        ),
        Exits(),
    )
    state.store, state.path = end.store, end.path
    for variable in (begin, made, many):
        state.store.pop(machine.local_object(variable).key, None)


def _variable(name: str, type_: Type, span: Span) -> ir.Variable:
    return ir.Variable(f"{name} of new objects at {span}", name, type_, ir.Storage.LOCAL, span)


def _read(variable: ir.Variable) -> ir.Expression:
    return ir.Load(ir.VariablePlace(variable, variable.span), variable.type, variable.span)


def _has_body(machine: Machine, e: ir.Construct) -> bool:
    function = None if e.constructor is None else machine.functions.get(e.constructor.key)
    return function is not None and function.body is not None


def _construct_at(machine: Machine, state: State, e: ir.Construct, here: Pointer) -> Value | None:
    """Runs the constructor on an object; the object's value where that is known without."""
    if e.constructor is None:
        return None
    new = ir.Unsupported("a new object", (), PointerType(e.type), e.span)
    call_on = ir.Call(e.constructor, (new, *e.arguments), VoidType(), e.span)
    arguments = (here, *(machine.evaluate(state, a) for a in e.arguments))
    known = machine.semantics.call(machine, state, call_on, arguments)
    if known is None:
        _enter(machine, state, e.constructor, arguments, e.span)
    return known if isinstance(known, Composite) else None


def _enter(
    machine: Machine, state: State, constructor: ir.FunctionRef, arguments: tuple[Value, ...], span: Span
) -> None:
    function = machine.functions.get(constructor.key)
    if function is not None and function.body is not None and may_enter(machine, function, arguments):
        run(machine, state, function, arguments, span)
    else:
        unknown_call(machine, state, constructor, arguments, VoidType(), span)
