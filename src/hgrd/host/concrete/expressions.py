"""Expressions of the concrete run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from hgrd.host.concrete.state.arithmetic import binary, converted, unary
from hgrd.host.concrete.state.launches import record_launch
from hgrd.host.concrete.state.machine import Machine
from hgrd.host.concrete.state.memory import load, own_copy, store, width_of
from hgrd.host.concrete.state.values import (
    NULL,
    UNKNOWN,
    Callee,
    Object,
    Parts,
    Pointer,
    StoppedError,
    Value,
)
from hgrd.program import expressions as ir
from hgrd.program.analysis.effects import Effects
from hgrd.program.expressions import BinaryOp
from hgrd.program.span import Span
from hgrd.program.types import ArrayType, IntType, OpaqueType, PointerType, RecordType, Type, VoidType

_PLAIN: Final = (int, float, Pointer)


def evaluate(machine: Machine, e: ir.Expression) -> Value:
    """The value of an expression; its effects go into memory."""
    if isinstance(e, ir.IntConst):
        return e.value
    if isinstance(e, ir.Load) and type(e.place) is ir.VariablePlace and not e.volatile:
        known = machine.frames[-1].variables.get(e.place.variable.key)
        cell = None if known is None else known.cells.get(0)
        if cell is not None and type(cell.value) in _PLAIN and (cell.type is e.type or cell.type == e.type):
            return cell.value
    machine.step()
    return _MEANINGS[type(e)](machine, e)


def place_of(machine: Machine, place: ir.Place) -> Pointer | None:
    """Where a place is; None: not known."""
    match place:
        case ir.VariablePlace(variable=variable):
            return Pointer(machine.object_of(variable), 0)
        case ir.Deref(pointer=pointer):
            value = machine.evaluate(machine, pointer)
            return value if isinstance(value, Pointer) else None
        case ir.FieldPlace(base=base, field=member):
            found = place_of(machine, base)
            if found is None or member.bits is not None:
                return None
            return Pointer(found.target, None if found.offset is None else found.offset + member.offset)
        case ir.TemporaryPlace(value=value, type=type_, span=span):
            here = Pointer(Object("temporary", width_of(type_, machine.records)), 0)
            initialise(machine, here, value, type_, span)
            return here
        case ir.AfterPlace(effect=effect, place=inner):
            machine.evaluate(machine, effect)
            return place_of(machine, inner) if _is_steady(inner) else None
        case _:
            raise StoppedError


def _is_steady(place: ir.Place) -> bool:
    """Whether a place can be evaluated again without effects."""
    match place:
        case ir.VariablePlace():
            return True
        case ir.FieldPlace(base=base):
            return _is_steady(base)
        case ir.Deref(pointer=ir.Load(place=base)):
            return _is_steady(base)
        case _:
            return False


def initialise(machine: Machine, here: Pointer, initial: ir.Expression, type_: Type, span: Span) -> None:
    """Gives a new object its first value."""
    if isinstance(initial, ir.Construct):
        construct_at(machine, here, initial)
        return
    value = machine.evaluate(machine, initial)
    put(machine, here, value, type_, span)


def construct_at(machine: Machine, here: Pointer, e: ir.Construct) -> None:
    """Runs a constructor on a new object."""
    if e.constructor is None:
        return
    arguments = (here, *(machine.evaluate(machine, a) for a in e.arguments))
    types = (PointerType(e.type), *(a.type for a in e.arguments))
    machine.call(machine, e.constructor, arguments, types, VoidType(), e.span)


def put(machine: Machine, place: Pointer | None, value: Value, type_: Type, span: Span) -> None:
    """Stores a value; if the place is unknown, anything may have changed."""
    if place is None:
        raise StoppedError
    store(place, value, type_, machine.records, span)


def _load(machine: Machine, e: ir.Load) -> Value:
    place = place_of(machine, e.place)
    if place is None or e.volatile:
        return UNKNOWN
    _touched(machine, place, e.type, e.span, stores=False)
    cell = None if place.offset is None or place.target.moved else place.target.cells.get(place.offset)
    if cell is not None and type(cell.value) in _PLAIN and (cell.type is e.type or cell.type == e.type):
        return cell.value
    value = load(place, e.type, machine.records)
    return value if isinstance(e.place, ir.TemporaryPlace) else own_copy(value)


def _touched(machine: Machine, place: Pointer | None, type_: Type, span: Span, *, stores: bool) -> None:
    """The host uses memory, which work on the device may use meanwhile."""
    if place is not None and machine.queue is not None and (machine.queue.users or machine.queue.calling):
        machine.queue.touch(place, width_of(type_, machine.records), span, stores=stores)


def _address(machine: Machine, e: ir.AddressOf) -> Value:
    if isinstance(e.place, ir.Deref):
        return machine.evaluate(machine, e.place.pointer)
    return place_of(machine, e.place) or UNKNOWN


def _moved(pointer: Value, index: Value, stride: int) -> Value:
    match pointer, index:
        case Pointer(target=target, offset=int(offset)), int() if stride:
            return Pointer(target, offset + index * stride)
        case Pointer(target=target), _:
            return Pointer(target, None)
        case _:
            return UNKNOWN


def _pointer_add(machine: Machine, e: ir.PointerAdd) -> Value:
    pointer = machine.evaluate(machine, e.pointer)
    return _moved(pointer, machine.evaluate(machine, e.index), e.stride)


def _pointer_difference(machine: Machine, e: ir.PointerDifference) -> Value:
    match machine.evaluate(machine, e.left), machine.evaluate(machine, e.right):
        case Pointer(target=s, offset=int(x)), Pointer(target=t, offset=int(y)) if s is t and e.stride:
            return (x - y) // e.stride
        case _:
            return UNKNOWN


def _unary(machine: Machine, e: ir.Unary) -> Value:
    return unary(e.op, machine.evaluate(machine, e.operand), e.type)


def _binary(machine: Machine, e: ir.Binary) -> Value:
    left = evaluate(machine, e.left)
    return binary(e.op, left, evaluate(machine, e.right), e.type)


def _logical(machine: Machine, e: ir.Logical) -> Value:
    left = machine.evaluate(machine, e.left)
    if left is UNKNOWN:
        _skip(machine, e.right)
        return UNKNOWN
    if bool(left) is not e.conjunction:
        return int(bool(left))
    return machine.evaluate(machine, e.right)


def _conditional(machine: Machine, e: ir.Conditional) -> Value:
    condition = machine.evaluate(machine, e.condition)
    if condition is UNKNOWN:
        _skip(machine, e.then)
        _skip(machine, e.otherwise)
        return UNKNOWN
    return machine.evaluate(machine, e.then if condition else e.otherwise)


def _skip(machine: Machine, e: ir.Expression) -> None:
    """It is not known whether an expression is evaluated: that must not matter."""
    effects = machine.effects.of(e)
    must_be_followed(machine, effects)
    if effects.assigned or effects.arrays or effects.through_pointers or effects.exposed or effects.launches:
        raise StoppedError
    if any(_may_store(machine, key) for key in effects.calls):
        raise StoppedError


def must_be_followed(machine: Machine, effects: Effects) -> None:
    """Raises StoppedError where code may put work on a device, or wait for it, and the run keeps a queue of that."""
    called = (machine.functions[key] for key in effects.calls & machine.functions.keys())
    if machine.queue is not None and any(not f.user_code and f.ref.name.startswith("cu") for f in called):
        raise StoppedError


def _may_store(machine: Machine, key: str) -> bool:
    """Whether a function that is called with numbers, or texts, may change what the run knows."""
    function = machine.functions.get(key)
    return function is not None and function.user_code and function.body is None


def _convert(machine: Machine, e: ir.Convert) -> Value:
    value = machine.evaluate(machine, e.operand)
    if isinstance(value, Pointer) and isinstance(e.type, IntType):
        raise StoppedError  # from now on memory may be reached by numbers
    return converted(value, e.type)


def _assign(machine: Machine, e: ir.Assign) -> Value:
    if e.initial and isinstance(e.value, ir.Construct):
        place = place_of(machine, e.place)
        if place is None:
            raise StoppedError
        construct_at(machine, place, e.value)
        return UNKNOWN
    place = place_of(machine, e.place)
    value = machine.evaluate(machine, e.value)
    _touched(machine, place, e.type, e.span, stores=True)
    put(machine, place, value, e.type, e.span)
    return value


def _update(machine: Machine, e: ir.Update) -> Value:
    place = place_of(machine, e.place)
    if place is None:
        machine.evaluate(machine, e.value)
        raise StoppedError
    _touched(machine, place, e.type, e.span, stores=True)
    before, operand = load(place, e.type, machine.records), machine.evaluate(machine, e.value)
    if isinstance(e.type, PointerType):
        if isinstance(operand, int) and e.op is BinaryOp.SUB:
            operand = -operand
        value = _moved(before, operand, e.stride)
    else:
        shift = e.op in (BinaryOp.SHL, BinaryOp.SHR)
        other = operand if shift else converted(operand, e.compute_type)
        value = converted(binary(e.op, converted(before, e.compute_type), other, e.compute_type), e.type)
    store(place, value, e.type, machine.records, e.span)
    return before if e.postfix else value


def _call(machine: Machine, e: ir.Call) -> Value:
    arguments = tuple([evaluate(machine, a) for a in e.arguments])
    return machine.call(machine, e.function, arguments, tuple([a.type for a in e.arguments]), e.type, e.span)


def _indirect(machine: Machine, e: ir.IndirectCall) -> Value:
    callee = machine.evaluate(machine, e.callee)
    virtual = isinstance(e.callee, ir.FunctionAddress) and e.callee.virtual
    if virtual or not isinstance(callee, Callee):
        raise StoppedError
    return _call(machine, ir.Call(callee.function, e.arguments, e.type, e.span))


def _aggregate(machine: Machine, e: ir.Aggregate) -> Value:
    here = Pointer(Object("aggregate", width_of(e.type, machine.records), zero=True), 0)
    for at, part in e.parts:
        initialise(machine, Pointer(here.target, at), part, part.type, e.span)
    here.target.moved = True
    return Parts(here.target.cells, zero=True)


def _construct(machine: Machine, e: ir.Construct) -> Value:
    here = Pointer(Object("object", width_of(e.type, machine.records)), 0)
    construct_at(machine, here, e)
    known = isinstance(e.type, OpaqueType | RecordType | ArrayType)
    value = load(here, e.type, machine.records) if known else UNKNOWN
    here.target.moved = True
    return value


def _new(machine: Machine, e: ir.New) -> Value:
    count = 1 if e.count is None else machine.evaluate(machine, e.count)
    size = width_of(e.allocated, machine.records)
    number = count if isinstance(count, int) else None
    made = Object("new", None if number is None or size is None else number * size)
    if e.initial is None:
        return Pointer(made, 0)
    if e.count is None:
        initialise(machine, Pointer(made, 0), e.initial, e.allocated, e.span)
    elif isinstance(e.initial, ir.Aggregate) and not e.initial.parts:
        made.zero = True
    elif number is not None and size is not None and isinstance(e.initial, ir.Construct):
        for k in range(number):
            machine.step()
            construct_at(machine, Pointer(made, k * size), e.initial)
    else:
        initialise(machine, Pointer(made, 0), e.initial, e.initial.type, e.span)
    return Pointer(made, 0)


def _comma(machine: Machine, e: ir.Comma) -> Value:
    machine.evaluate(machine, e.left)
    return machine.evaluate(machine, e.right)


def _launch(machine: Machine, e: ir.Launch) -> Value:
    kernel = machine.evaluate(machine, e.kernel)
    shape = machine.evaluate(machine, e.grid), machine.evaluate(machine, e.block)
    shared_bytes = 0 if e.shared_bytes is None else machine.evaluate(machine, e.shared_bytes)
    stream = 0 if e.stream is None else machine.evaluate(machine, e.stream)
    arguments = tuple(machine.evaluate(machine, a) for a in e.arguments)
    if not isinstance(kernel, Callee):
        raise StoppedError
    record_launch(machine, kernel.function, shape, shared_bytes, arguments, e.span, stream)
    return 0


def _unsupported(machine: Machine, e: ir.Unsupported) -> Value:
    raise StoppedError


def _throw(machine: Machine, e: ir.Throw) -> Value:
    raise StoppedError


def _float(_machine: Machine, e: ir.FloatConst) -> Value:
    return converted(e.value, e.type)


def _text(_machine: Machine, _e: ir.StringConst) -> Value:
    return Pointer(Object("text"), 0)


def _null(_machine: Machine, _e: ir.NullPointer) -> Value:
    return NULL


def _function(_machine: Machine, e: ir.FunctionAddress) -> Value:
    return UNKNOWN if e.virtual else Callee(e.function)


_MEANINGS: Final[Mapping[type, Callable[[Machine, Any], Value]]] = {
    ir.FloatConst: _float,
    ir.StringConst: _text,
    ir.NullPointer: _null,
    ir.FunctionAddress: _function,
    ir.Load: _load,
    ir.AddressOf: _address,
    ir.PointerAdd: _pointer_add,
    ir.PointerDifference: _pointer_difference,
    ir.Unary: _unary,
    ir.Binary: _binary,
    ir.Logical: _logical,
    ir.Conditional: _conditional,
    ir.Convert: _convert,
    ir.Assign: _assign,
    ir.Update: _update,
    ir.Call: _call,
    ir.IndirectCall: _indirect,
    ir.Aggregate: _aggregate,
    ir.Construct: _construct,
    ir.New: _new,
    ir.Comma: _comma,
    ir.Launch: _launch,
    ir.Throw: _throw,
    ir.Unsupported: _unsupported,
}
