"""Evaluation of expressions."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from hgrd.program import expressions as ir
from hgrd.program.expressions import Expression
from hgrd.program.layout import bit_units
from hgrd.program.span import Span
from hgrd.program.types import LONG, POINTER_SIZE, FloatType, IntType, PointerType, RecordType, Type
from hgrd.symbolic import arithmetic, integers, pointers
from hgrd.symbolic.execution.calls import call, indirect_call
from hgrd.symbolic.execution.construction import construct, construct_each, initialise
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.memory.bit_fields import as_field, bit_field, load_bits, store_bits
from hgrd.symbolic.memory.lvalues import load, locate, store, within_arrays
from hgrd.symbolic.state import ConditionKind, Generation, Region, State, choose, merge
from hgrd.symbolic.values import (
    NULL,
    OPAQUE,
    Cell,
    Choice,
    Composite,
    FloatValue,
    FunctionValue,
    MemoryObject,
    MemorySpace,
    Pointer,
    Value,
    float_constant,
    zeros,
)
from hgrd.terms import (
    FALSE,
    TRUE,
    Origin,
    Term,
    as_bool,
    as_int,
    conj,
    const,
    disj,
    div,
    le,
    maximum,
    minimum,
    mul,
    negate,
)
from hgrd.terms.build import read_between

_NEVER_READ: Final = 1 << 40  # an offset beyond all members and elements


def evaluate(machine: Machine, state: State, e: Expression) -> Value:
    """The value of `e`; its side effects go into `state`."""
    machine.step()
    match e:
        case ir.IntConst(value=value):
            return const(value)
        case ir.FloatConst(value=value):
            return float_constant(value)
        case ir.Load(place=place, type=type_, span=span, volatile=volatile):
            return _load(machine, state, place, type_, span, volatile)
        case ir.Binary(op=op, left=left, right=right):
            a, b = evaluate(machine, state, left), evaluate(machine, state, right)
            return _binary(machine, op, a, b, e)
        case ir.Convert(operand=operand, type=type_, explicit=explicit):
            given = evaluate(machine, state, operand)
            value = _of_address(machine, given, type_)
            if value is None:
                value = arithmetic.convert(given, operand.type, type_, explicit=explicit)
            return value if value is not None else _unknown_conversion(machine, state, e, given)
        case ir.PointerAdd(pointer=pointer, index=index, stride=stride):
            base, count = evaluate(machine, state, pointer), evaluate(machine, state, index)
            if isinstance(pointer, ir.AddressOf) and isinstance(count, Term):
                machine.subscripts[id(e)] = as_int(count)
            return _advance(machine, state, base, count, stride, e.span)
        case ir.AddressOf(place=place):
            return locate(machine, state, place)
        case ir.Assign():
            return _assign(machine, state, e)
        case ir.Update():
            return _update(machine, state, e)
        case ir.Call():
            return call(machine, state, e)
        case ir.Conditional():
            return _conditional(machine, state, e)
        case ir.Logical():
            return _logical(machine, state, e)
        case ir.Unary(op=op, operand=operand, type=type_):
            value = arithmetic.unary(op, evaluate(machine, state, operand), type_)
            return value if value is not None else machine.unknown("value", type_, Origin.UNKNOWN)
        case _:
            return _rare(machine, state, e)


def _rare(machine: Machine, state: State, e: Expression) -> Value:
    match e:
        case ir.PointerDifference(left=left, right=right, stride=stride, type=type_):
            distance = pointers.difference(evaluate(machine, state, left), evaluate(machine, state, right), stride)
            return distance if distance is not None else machine.unknown("distance", type_, Origin.UNKNOWN)
        case ir.NullPointer():
            return NULL
        case ir.FunctionAddress(function=function):
            return FunctionValue(function)
        case ir.Comma(left=left, right=right):
            evaluate(machine, state, left)
            return evaluate(machine, state, right)
        case ir.Aggregate(parts=parts, type=type_):
            return _aggregate(machine, state, parts, type_)
        case ir.Construct():
            return construct(machine, state, e)
        case ir.IndirectCall():
            return indirect_call(machine, state, e)
        case ir.Launch():
            return machine.semantics.launch(machine, state, e)
        case ir.New():
            return _new(machine, state, e)
        case ir.Throw(span=span):
            state.kill(span)
            return OPAQUE
        case ir.Unsupported(reason=reason, operands=operands, type=type_, span=span):
            for operand in operands:
                evaluate(machine, state, operand)
            machine.semantics.unsupported(machine, state, reason, span)
            return machine.unknown("unsupported", type_, machine.semantics.origin_of_unsupported())
        case _:
            return OPAQUE


def integer(machine: Machine, value: Value, base: str, type_: Type) -> Term:
    """The value as an integer term, an unknown one where it is none."""
    if isinstance(value, Term):
        return as_int(value)
    unknown = machine.unknown(base, type_ if isinstance(type_, IntType) else IntType(64, True), Origin.UNKNOWN)
    return unknown if isinstance(unknown, Term) else const(0)


# ---------------------------------------------------------------- the single forms


def _load(machine: Machine, state: State, place: ir.Place, type_: Type, span: Span, volatile: bool) -> Value:
    if isinstance(place, ir.AfterPlace) and _stores_to(place.effect, place.place):
        return evaluate(machine, state, place.effect)  # the value just stored; it is not read back
    base = place
    offset = 0
    while isinstance(base, ir.FieldPlace):
        offset += base.field.offset
        base = base.base
    if isinstance(base, ir.VariablePlace) and base.variable.storage is ir.Storage.BUILTIN:
        value = machine.semantics.builtin(machine, base.variable)
        if isinstance(value, Composite) and base is not place:
            return value.cells[offset].value
        return value
    address = locate(machine, state, place)
    within_arrays(machine, state, place)
    field = bit_field(place)
    if field is not None:
        return load_bits(machine, state, address, field, span, volatile)
    return load(machine, state, address, type_, span, volatile)


def _stores_to(effect: Expression, place: ir.Place) -> bool:
    return isinstance(effect, ir.Assign | ir.Update) and effect.place == place


def _binary(machine: Machine, op: ir.BinaryOp, a: Value, b: Value, e: ir.Binary) -> Value:
    value = arithmetic.binary(op, a, b, e.type)
    if value is not None:
        return value
    if isinstance(a, FloatValue) and isinstance(b, FloatValue):
        return as_bool(read_between(f"float {op.value}", (a.key, b.key), 0, 1))
    if integers.is_comparison(op):
        return machine.unknown_truth("comparison")
    return machine.unknown("value", e.type, Origin.UNKNOWN)


def _of_address(machine: Machine, given: Value, type_: Type) -> Value | None:
    """A pointer as a number, and a number that is made from one as a pointer; None of other conversions."""
    match given, type_:
        case (Pointer() | Choice(), IntType(bits=64)):
            return machine.address_of(given)
        case (Term(), PointerType()):
            return machine.pointer_at(given)
        case _:
            return None


def _unknown_conversion(machine: Machine, state: State, e: ir.Convert, given: Value) -> Value:
    origin = Origin.DATA if isinstance(e.operand.type, FloatType) else Origin.UNKNOWN
    value = machine.unknown("converted", e.type, origin)
    if isinstance(given, FloatValue):
        machine.semantics.derived(machine, state, value, given, e.span)
        if given.near is not None and isinstance(value, Term) and isinstance(e.type, IntType):
            ends = [div(n, const(d)) for n, d in given.near]
            least, most = minimum(*ends), maximum(*ends)
            state.assume(conj(le(least, value), le(value, most)), ConditionKind.VALUE, e.span)
    return value


def _advance(machine: Machine, state: State, base: Value, count: Value, stride: int, span: Span) -> Value:
    """Somewhere in the same object (C++ [expr.add]), where it is not known how far."""
    if stride == 0 or not isinstance(count, Term):
        machine.semantics.unsupported(machine, state, "pointer arithmetic on a type of unknown size", span)
        distance = machine.unknown("distance", LONG, Origin.UNKNOWN)
        return pointers.move(base, distance) if isinstance(distance, Term) else OPAQUE
    return pointers.move(base, mul(as_int(count), const(stride)))


def _assign(machine: Machine, state: State, e: ir.Assign) -> Value:
    if e.initial and isinstance(e.value, ir.Construct):
        here = locate(machine, state, e.place)
        if isinstance(here, Pointer):
            initialise(machine, state, here, e.value, e.value.type, e.place.span)
            return OPAQUE
    stored = evaluate(machine, state, e.value)
    address = locate(machine, state, e.place)
    within_arrays(machine, state, e.place)
    field = bit_field(e.place)
    if field is not None:
        store_bits(machine, state, address, stored, field, e.place.span, e.volatile)
        return as_field(stored, field) if isinstance(stored, Term) else stored
    store(machine, state, address, stored, e.value.type, e.place.span, e.volatile)
    return stored


def _update(machine: Machine, state: State, e: ir.Update) -> Value:
    operand = evaluate(machine, state, e.value)
    address = locate(machine, state, e.place)
    within_arrays(machine, state, e.place)
    place_type, field = e.type, bit_field(e.place)
    if field is None:
        old = load(machine, state, address, place_type, e.place.span, e.volatile)
    else:
        old = load_bits(machine, state, address, field, e.place.span, e.volatile)
    if e.stride:
        new = _advance(machine, state, old, _signed(e.op, operand), e.stride, e.span)
    else:
        left = arithmetic.convert(old, place_type, e.compute_type, explicit=False)
        computed = None if left is None else arithmetic.binary(e.op, left, operand, e.compute_type)
        back = None if computed is None else arithmetic.convert(computed, e.compute_type, place_type, explicit=False)
        new = back if back is not None else machine.unknown("value", place_type, Origin.UNKNOWN)
    if field is not None:
        store_bits(machine, state, address, new, field, e.place.span, e.volatile)
        new = as_field(new, field) if isinstance(new, Term) else new
    else:
        store(machine, state, address, new, place_type, e.place.span, e.volatile)
    return old if e.postfix else new


def _signed(op: ir.BinaryOp, operand: Value) -> Value:
    if op is ir.BinaryOp.SUB and isinstance(operand, Term):
        return mul(as_int(operand), const(-1))
    return operand


def _conditional(machine: Machine, state: State, e: ir.Conditional) -> Value:
    test = machine.condition(state, e.condition)
    if test is TRUE:
        return evaluate(machine, state, e.then)
    if test is FALSE:
        return evaluate(machine, state, e.otherwise)
    a, b = branches(state, test, e.span)
    x, y = evaluate(machine, a, e.then), evaluate(machine, b, e.otherwise)
    _join(state, a, b, e.span)
    if not a.alive or not b.alive:
        return y if b.alive else x
    return choose(test, x, y)


def _logical(machine: Machine, state: State, e: ir.Logical) -> Value:
    left = machine.condition(state, e.left)
    if left is (FALSE if e.conjunction else TRUE):
        return left
    go, skip = branches(state, left if e.conjunction else negate(left), e.span)
    right = machine.condition(go, e.right) if go.alive else FALSE
    _join(state, go, skip, e.span)
    return conj(left, right) if e.conjunction else disj(left, right)


def branches(state: State, test: Term, span: Span) -> tuple[State, State]:
    """The states in which a test holds, and in which it does not."""
    a, b = state.copy(), state.copy()
    a.assume(test, ConditionKind.BRANCH, span)
    b.assume(negate(test), ConditionKind.BRANCH, span)
    return a, b


def _join(state: State, a: State, b: State, span: Span) -> None:
    joined = merge((a, b))
    if joined is None:
        state.kill(span)
    else:
        state.store, state.path = joined.store, joined.path


def _aggregate(machine: Machine, state: State, parts: tuple[tuple[int, Expression], ...], type_: Type) -> Value:
    start = zeros(type_, machine.records)
    if start is None:
        return _incomplete(machine, state, parts, type_)
    cells = dict(start.cells)
    units = bit_units(type_, machine.records)
    for at, expression in parts:
        value = evaluate(machine, state, expression)
        if isinstance(value, Composite):
            cells.update({at + o: c for o, c in value.cells.items()})
        elif at in units:  # which of the bit-fields there it is for is not known
            cells[at] = Cell(machine.unknown("bits", expression.type, Origin.UNKNOWN), cells[at].size)
        else:
            cells[at] = Cell(value, machine.size(expression.type) or 1)
    return Composite(cells, start.size)


def _incomplete(machine: Machine, state: State, parts: tuple[tuple[int, Expression], ...], type_: Type) -> Value:
    """A record or array with parts of library classes: those whose values are known, as far as they reach.

    Elements of unknown size have no places of their own: what they hold is kept where nothing is read.
    """
    cells: dict[int, Cell] = {}
    hidden: dict[int, Cell] = {}
    for at, expression in parts:
        value = evaluate(machine, state, expression)
        if not isinstance(value, Composite):
            cells[at] = Cell(value, machine.size(expression.type) or POINTER_SIZE)
            continue
        cells.update({at + o: c for o, c in value.cells.items()})
        if value.origin is not None and isinstance(type_, RecordType) and at not in cells:
            cells[at] = Cell(value, POINTER_SIZE)
        elif value.origin is not None:
            hidden[_NEVER_READ + len(hidden)] = Cell(Composite({}, POINTER_SIZE, value.origin), 1)
    size = _NEVER_READ if hidden else max((o + c.size for o, c in cells.items()), default=0)
    return Composite(cells | hidden, size) if cells or hidden else OPAQUE


def _new(machine: Machine, state: State, e: ir.New) -> Value:
    count = (
        const(1) if e.count is None else integer(machine, evaluate(machine, state, e.count), "count", IntType(64, True))
    )
    element = machine.size(e.allocated)
    size = None if element is None else mul(count, const(element))
    name = machine.names.unique("new")
    made = MemoryObject(name, name, MemorySpace.HOST, e.allocated, size, e.span, exact=True)
    pointer = Pointer(made, const(0))
    if isinstance(e.allocated, RecordType) and e.count is None:
        state.store[name] = Region({}, Generation(), undefined=True)
    if isinstance(e.initial, ir.Construct) and e.count is not None:
        construct_each(machine, state, replace(e.initial, type=e.allocated), pointer, count)
    elif e.initial is not None:
        initialise(machine, state, pointer, e.initial, e.allocated, e.span)
    return pointer
