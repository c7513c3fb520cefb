"""Places of the concrete run: where they are, what is loaded from them, and what is stored there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NoReturn, TypeAlias

from hgrd.host.concrete.state.machine import Code, Machine
from hgrd.host.concrete.state.memory import load, own_copy, store, store_scalar, width_of
from hgrd.host.concrete.state.operators import conversion, operation
from hgrd.host.concrete.state.values import UNKNOWN, Cell, Object, Pointer, StoppedError, Value
from hgrd.program import expressions as ir
from hgrd.program.expressions import BinaryOp, Storage, Variable
from hgrd.program.span import Span
from hgrd.program.types import BoolType, FloatType, IntType, OpaqueType, PointerType, Type, VoidType

PlaceCode: TypeAlias = Callable[[], Pointer | None]
"""A place made ready to be found; None: it is not known where it is."""
_PLAIN: Final = (int, float, Pointer)
_SCALARS: Final = (IntType, FloatType, BoolType, PointerType)
_LOCAL: Final = (Storage.LOCAL, Storage.PARAMETER)


def place_code(machine: Machine, place: ir.Place) -> PlaceCode:
    """The code that finds a place."""
    match place:
        case ir.VariablePlace(variable=variable) if variable.storage in _LOCAL:
            return _variable(machine, variable)
        case ir.VariablePlace(variable=variable):
            return lambda: Pointer(machine.object_of(variable), 0)
        case ir.Deref(pointer=pointer):
            return _dereferenced(machine.code_of(pointer))
        case ir.FieldPlace(base=base, field=member):
            return _member(place_code(machine, base), None if member.bits is not None else member.offset)
        case ir.TemporaryPlace(value=value, type=type_, span=span):
            return _temporary(machine, value, type_, span)
        case ir.AfterPlace(effect=effect, place=inner):
            return _after(machine.code_of(effect), place_code(machine, inner) if _is_steady(inner) else None)
        case _:
            return stop


def stop() -> NoReturn:
    """What the run does not follow."""
    raise StoppedError


def _variable(machine: Machine, variable: Variable) -> PlaceCode:
    key = variable.key

    def find() -> Pointer | None:
        known = machine.variables.get(key)
        return Pointer(machine.object_of(variable) if known is None else known, 0)

    return find


def _dereferenced(pointer: Code) -> PlaceCode:
    def find() -> Pointer | None:
        value = pointer()
        return value if isinstance(value, Pointer) else None

    return find


def _member(base: PlaceCode, at: int | None) -> PlaceCode:
    """A member at an offset; None: a bit-field."""

    def find() -> Pointer | None:
        found = base()
        if found is None or at is None:
            return None
        return Pointer(found.target, None if found.offset is None else found.offset + at)

    return find


def _temporary(machine: Machine, value: ir.Expression, type_: Type, span: Span) -> PlaceCode:
    size, begin = width_of(type_, machine.records), initialisation(machine, value, type_, span)

    def find() -> Pointer | None:
        here = Pointer(Object("temporary", size), 0)
        begin(here)
        return here

    return find


def _after(effect: Code, place: PlaceCode | None) -> PlaceCode:
    def find() -> Pointer | None:
        effect()
        return None if place is None else place()

    return find


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


def initialisation(machine: Machine, initial: ir.Expression, type_: Type, span: Span) -> Callable[[Pointer], None]:
    """The code that gives a new object its first value."""
    if isinstance(initial, ir.Construct):
        return construction(machine, initial)
    if isinstance(initial, ir.Aggregate) and width_of(type_, machine.records) is None:
        return aggregation(machine, initial)
    code = machine.code_of(initial)
    return lambda here: store(here, code(), type_, machine.records, span)


def aggregation(machine: Machine, initial: ir.Aggregate) -> Callable[[Pointer], None]:
    """The code that gives the parts of a new object their first values."""
    parts = [(at, initialisation(machine, part, part.type, initial.span)) for at, part in initial.parts]

    def begin(here: Pointer) -> None:
        for at, make in parts:
            make(Pointer(here.target, None if here.offset is None else here.offset + at))

    return begin


def construction(machine: Machine, e: ir.Construct) -> Callable[[Pointer], None]:
    """The code that runs a constructor on a new object."""
    constructor, types = e.constructor, (PointerType(e.type), *(a.type for a in e.arguments))
    codes = [machine.code_of(a) for a in e.arguments]

    def construct(here: Pointer) -> None:
        if constructor is not None:
            machine.call(constructor, (here, *[code() for code in codes]), types, VoidType(), e.span)

    return construct


def load_code(machine: Machine, e: ir.Load) -> Code:
    """The code of a load."""
    match e.place:
        case ir.VariablePlace(variable=variable) if variable.storage in _LOCAL and not e.volatile:
            return _load_of_variable(machine, e, variable.key)
        case _:
            return _load_of_place(machine, e)


def _load_of_variable(machine: Machine, e: ir.Load | ir.Update, key: str) -> Code:
    type_, otherwise = e.type, _load_of_place(machine, e)

    def look() -> Value:
        known = machine.variables.get(key)
        if known is not None:
            cell = known.held.get(0)
            if cell is not None and (cell.type is type_ or cell.type == type_):
                value = cell.value
                if isinstance(value, _PLAIN):
                    return value
        return otherwise()

    return look


def _load_of_place(machine: Machine, e: ir.Load | ir.Update) -> Code:
    place, type_, records, touch = place_code(machine, e.place), e.type, machine.records, _touching(machine, e, False)
    fleeting, volatile = isinstance(e.place, ir.TemporaryPlace), isinstance(e, ir.Load) and e.volatile

    def look() -> Value:
        here = place()
        if here is None or volatile:
            if machine.queue is not None:
                machine.queue.doubt("a place that is not known")
            return UNKNOWN
        touch(here)
        value = load(here, type_, records)
        return value if fleeting else own_copy(value)

    return look


def _touching(machine: Machine, e: ir.Load | ir.Assign | ir.Update, stores: bool) -> Callable[[Pointer], None]:
    """The code by which the host uses memory, which work on the device may use meanwhile."""
    queue, size = machine.queue, width_of(e.type, machine.records)

    def touch(place: Pointer) -> None:
        if queue is not None and (id(place.target) in queue.users or queue.calling):
            queue.touch(place, size, e.span, stores=stores)

    return touch


def _storing(machine: Machine, e: ir.Assign | ir.Update) -> Callable[[Pointer, Value], None]:
    """The code that stores a value."""
    type_, size, span, records = e.type, width_of(e.type, machine.records), e.span, machine.records
    if size is None or not isinstance(type_, _SCALARS):
        return lambda here, value: store(here, value, type_, records, span)

    def put(here: Pointer, value: Value) -> None:
        if here.offset is None:
            store(here, value, type_, records, span)
        else:
            store_scalar(here.target, here.offset, Cell(value, type_, size), span)

    return put


def assign_code(machine: Machine, e: ir.Assign) -> Code:
    """The code of an assignment; if the place is unknown, anything may have changed."""
    place = place_code(machine, e.place)
    if e.initial and isinstance(e.value, ir.Construct):
        return _constructed(place, construction(machine, e.value))
    code, touch, put = machine.code_of(e.value), _touching(machine, e, True), _storing(machine, e)
    if isinstance(e.place, ir.VariablePlace) and e.place.variable.storage in _LOCAL and isinstance(e.type, _SCALARS):
        change = _changing_variable(machine, e, e.place.variable)
        return lambda: change(code())

    def assign() -> Value:
        here, value = place(), code()
        if here is None:
            raise StoppedError
        touch(here)
        put(here, value)
        return value

    return assign


def _changing_variable(machine: Machine, e: ir.Assign | ir.Update, variable: Variable) -> Callable[[Value], Value]:
    """The code that gives a local variable, a number or a pointer, a value; the value."""
    touch, put, key, type_, span = _touching(machine, e, True), _storing(machine, e), variable.key, e.type, e.span
    size, queue = width_of(type_, machine.records), machine.queue

    def change(value: Value) -> Value:
        here = machine.variables.get(key)
        old = None if here is None or (queue is not None and queue.users) else here.held.get(0)
        if here is not None and old is not None and old.size == size:
            here.held[0] = Cell(value, type_, old.size)
            here.written = span
        else:
            place = Pointer(machine.object_of(variable), 0)
            touch(place)
            put(place, value)
        return value

    return change


def _constructed(place: PlaceCode, construct: Callable[[Pointer], None]) -> Code:
    def begin() -> Value:
        here = place()
        if here is None:
            raise StoppedError
        construct(here)
        return UNKNOWN

    return begin


def update_code(machine: Machine, e: ir.Update) -> Code:
    """The code of a compound assignment."""
    place, code = place_code(machine, e.place), machine.code_of(e.value)
    touch, put, change = _touching(machine, e, True), _storing(machine, e), _changing(machine, e)
    type_, records, postfix = e.type, machine.records, e.postfix
    if isinstance(e.place, ir.VariablePlace) and e.place.variable.storage in _LOCAL:
        variable = e.place.variable
        look, keep = _load_of_variable(machine, e, variable.key), _changing_variable(machine, e, variable)

        def update_variable() -> Value:
            before = look()
            value = keep(change(before, code()))
            return before if postfix else value

        return update_variable

    def update() -> Value:
        here = place()
        if here is None:
            code()
            raise StoppedError
        touch(here)
        before = load(here, type_, records)
        value = change(before, code())
        put(here, value)
        return before if postfix else value

    return update


def _changing(machine: Machine, e: ir.Update) -> Callable[[Value, Value], Value]:
    """The function that gives the new value, from the old one and the operand."""
    if isinstance(e.type, PointerType):
        stride = stride_of(machine, e.type, e.stride) * (-1 if e.op is BinaryOp.SUB else 1)
        return lambda before, by: moved(before, by, stride)
    widen, compute, narrow = conversion(e.compute_type), operation(e.op, e.compute_type), conversion(e.type)
    if e.op in (BinaryOp.SHL, BinaryOp.SHR):
        return lambda before, by: narrow(compute(widen(before), by))
    if e.type == e.compute_type:
        return lambda before, by: compute(before, widen(by))
    return lambda before, by: narrow(compute(widen(before), widen(by)))


def stride_of(machine: Machine, pointer: Type, stride: int) -> int:
    """How many bytes further the next element is, also of containers, and of records of these; 0: not known."""
    if not isinstance(pointer, PointerType) or (stride and not isinstance(pointer.to, OpaqueType)):
        return stride
    return width_of(pointer.to, machine.records) or 0


def moved(pointer: Value, index: Value, stride: int) -> Value:
    """A pointer so many elements further."""
    if not isinstance(pointer, Pointer):
        return UNKNOWN
    offset = pointer.offset
    if offset is None or not isinstance(index, int) or not stride:
        return Pointer(pointer.target, None)
    return Pointer(pointer.target, offset + index * stride)
