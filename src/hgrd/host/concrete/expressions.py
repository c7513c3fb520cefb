"""Expressions of the concrete run, made ready once: closures are several times as fast as a walk through the tree."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from hgrd.host.concrete.places import (
    aggregation,
    assign_code,
    construction,
    initialisation,
    load_code,
    moved,
    place_code,
    stop,
    stride_of,
    update_code,
)
from hgrd.host.concrete.state.arithmetic import converted, unary
from hgrd.host.concrete.state.launches import record_launch
from hgrd.host.concrete.state.machine import Code, Machine
from hgrd.host.concrete.state.memory import load, width_of
from hgrd.host.concrete.state.operators import conversion, operation
from hgrd.host.concrete.state.values import NULL, UNKNOWN, Callee, Object, Parts, Pointer, StoppedError, Value
from hgrd.program import expressions as ir
from hgrd.program.analysis.effects import Effects
from hgrd.program.types import ArrayType, IntType, OpaqueType, RecordType


def code_of(machine: Machine, e: ir.Expression) -> Code:
    """The code of an expression."""
    return _MEANINGS.get(type(e), _unsupported)(machine, e)


def _constant(value: Value) -> Code:
    return lambda: value


def _address(machine: Machine, e: ir.AddressOf) -> Code:
    if isinstance(e.place, ir.Deref):
        return machine.code_of(e.place.pointer)
    place = place_code(machine, e.place)
    return lambda: place() or UNKNOWN


def _pointer_add(machine: Machine, e: ir.PointerAdd) -> Code:
    pointer, index, stride = machine.code_of(e.pointer), machine.code_of(e.index), stride_of(machine, e.type, e.stride)
    return lambda: moved(pointer(), index(), stride)


def _pointer_difference(machine: Machine, e: ir.PointerDifference) -> Code:
    left, right, stride = machine.code_of(e.left), machine.code_of(e.right), stride_of(machine, e.left.type, e.stride)

    def subtract() -> Value:
        match left(), right():
            case Pointer(target=s, offset=int(x)), Pointer(target=t, offset=int(y)) if s is t and stride:
                return (x - y) // stride
            case _:
                return UNKNOWN

    return subtract


def _unary(machine: Machine, e: ir.Unary) -> Code:
    operand = machine.code_of(e.operand)
    return lambda: unary(e.op, operand(), e.type)


def _binary(machine: Machine, e: ir.Binary) -> Code:
    left, right, compute = machine.code_of(e.left), machine.code_of(e.right), operation(e.op, e.type)
    if isinstance(e.right, ir.IntConst):
        number = e.right.value
        return lambda: compute(left(), number)
    return lambda: compute(left(), right())


def _logical(machine: Machine, e: ir.Logical) -> Code:
    left, right, both = machine.code_of(e.left), machine.code_of(e.right), e.conjunction

    def decide() -> Value:
        value = left()
        if value is UNKNOWN:
            _skip(machine, e.right)
            return UNKNOWN
        return int(bool(value)) if bool(value) is not both else right()

    return decide


def _conditional(machine: Machine, e: ir.Conditional) -> Code:
    condition, then, otherwise = (machine.code_of(part) for part in (e.condition, e.then, e.otherwise))

    def choose() -> Value:
        value = condition()
        if value is UNKNOWN:
            _skip(machine, e.then)
            _skip(machine, e.otherwise)
            return UNKNOWN
        return then() if value else otherwise()

    return choose


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


def _convert(machine: Machine, e: ir.Convert) -> Code:
    operand, convert = machine.code_of(e.operand), conversion(e.type)
    if not isinstance(e.type, IntType):
        return lambda: convert(operand())

    def to_integer() -> Value:
        value = operand()
        if isinstance(value, Pointer):
            raise StoppedError  # from now on memory may be reached by numbers
        return convert(value)

    return to_integer


def _call(machine: Machine, e: ir.Call) -> Code:
    codes = [machine.code_of(a) for a in e.arguments]
    call = machine.prepare_call(machine, e.function, tuple(a.type for a in e.arguments), e.type, e.span)
    return lambda: call(tuple([code() for code in codes]))


def _indirect(machine: Machine, e: ir.IndirectCall) -> Code:
    virtual = isinstance(e.callee, ir.FunctionAddress) and e.callee.virtual
    callee, codes = machine.code_of(e.callee), [machine.code_of(a) for a in e.arguments]
    types = tuple(a.type for a in e.arguments)

    def call() -> Value:
        called = callee()
        if virtual or not isinstance(called, Callee):
            raise StoppedError
        return machine.call(called.function, tuple([code() for code in codes]), types, e.type, e.span)

    return call


def _aggregate(machine: Machine, e: ir.Aggregate) -> Code:
    size = width_of(e.type, machine.records)
    begin = aggregation(machine, e)

    def make() -> Value:
        made = Object("aggregate", size, zero=True)
        begin(Pointer(made, 0))
        made.moved = True
        return Parts(made.cells, zero=True)

    return make


def _construct(machine: Machine, e: ir.Construct) -> Code:
    size, construct = width_of(e.type, machine.records), construction(machine, e)
    known = isinstance(e.type, OpaqueType | RecordType | ArrayType)

    def make() -> Value:
        here = Pointer(Object("object", size), 0)
        construct(here)
        value = load(here, e.type, machine.records) if known else UNKNOWN
        here.target.moved = True
        return value

    return make


def _new(machine: Machine, e: ir.New) -> Code:
    number = _constant(1) if e.count is None else machine.code_of(e.count)
    size, initial = width_of(e.allocated, machine.records), e.initial
    zero = e.count is not None and isinstance(initial, ir.Aggregate) and not initial.parts
    many = e.count is not None and size is not None and isinstance(initial, ir.Construct)
    type_ = e.allocated if e.count is None or initial is None else initial.type
    begin = None if initial is None else initialisation(machine, initial, type_, e.span)

    def make() -> Value:
        count = number()
        known = count if isinstance(count, int) else None
        made = Object("new", None if known is None or size is None else known * size, zero=zero)
        if begin is not None and not zero:
            for k in range(known) if many and known is not None else (0,):
                machine.step()
                begin(Pointer(made, k * (size or 0)))
        return Pointer(made, 0)

    return make


def _comma(machine: Machine, e: ir.Comma) -> Code:
    left, right = machine.code_of(e.left), machine.code_of(e.right)

    def both() -> Value:
        left()
        return right()

    return both


def _launch(machine: Machine, e: ir.Launch) -> Code:
    code = machine.code_of
    kernel, grid, block = code(e.kernel), code(e.grid), code(e.block)
    shared = _constant(0) if e.shared_bytes is None else code(e.shared_bytes)
    stream, codes = _constant(0) if e.stream is None else code(e.stream), [code(a) for a in e.arguments]

    def launch() -> Value:
        called, shape, shared_bytes, where = kernel(), (grid(), block()), shared(), stream()
        arguments = tuple([one() for one in codes])
        if not isinstance(called, Callee):
            raise StoppedError
        record_launch(machine, called.function, shape, shared_bytes, arguments, e.span, where)
        return 0

    return launch


def _unsupported(_machine: Machine, _e: ir.Expression) -> Code:
    return stop


_MEANINGS: Final[Mapping[type, Callable[[Machine, Any], Code]]] = {
    ir.IntConst: lambda _, e: _constant(e.value),
    ir.FloatConst: lambda _, e: _constant(converted(e.value, e.type)),
    ir.StringConst: lambda machine, e: lambda: Pointer(machine.text(e.value), 0),
    ir.NullPointer: lambda _, _e: _constant(NULL),
    ir.FunctionAddress: lambda _, e: _constant(UNKNOWN if e.virtual else Callee(e.function)),
    ir.Load: load_code,
    ir.AddressOf: _address,
    ir.PointerAdd: _pointer_add,
    ir.PointerDifference: _pointer_difference,
    ir.Unary: _unary,
    ir.Binary: _binary,
    ir.Logical: _logical,
    ir.Conditional: _conditional,
    ir.Convert: _convert,
    ir.Assign: assign_code,
    ir.Update: update_code,
    ir.Call: _call,
    ir.IndirectCall: _indirect,
    ir.Aggregate: _aggregate,
    ir.Construct: _construct,
    ir.New: _new,
    ir.Comma: _comma,
    ir.Launch: _launch,
}
