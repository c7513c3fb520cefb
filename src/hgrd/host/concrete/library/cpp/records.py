"""Records that library functions make of their parts: `dim3(x, y)`, `make_int2(x, y)`, copies."""

from __future__ import annotations

from hgrd.host.concrete.library.call import LibraryCall, Model
from hgrd.host.concrete.state.machine import Machine
from hgrd.host.concrete.state.memory import load, store
from hgrd.host.concrete.state.values import UNKNOWN, Cell, Parts, Pointer, Value
from hgrd.program.expressions import FunctionRef
from hgrd.program.program import Function
from hgrd.program.types import PointerType, RecordType

_EXTENTS = 3
_COPY = 2  # arguments of a copy


def record_model(function: FunctionRef) -> Model | None:
    """The model of a function that makes a record; None: of another function."""
    if function.name == "dim3":
        return _dim3
    return _made if function.name.startswith("make_") and isinstance(function.returns, RecordType) else None


def _dim3(call: LibraryCall) -> Value | None:
    """dim3(x, y, z), or a copy."""
    place, type_ = call.pointer(0), call.pointee(0)
    if not isinstance(type_, RecordType):
        return None
    if len(call.arguments) > 1 and isinstance(call.arguments[1], Pointer):
        store(place, load(call.arguments[1], type_, call.machine.records), type_, call.machine.records, call.span)
        return UNKNOWN
    values = [*call.arguments[1:], 1, 1, 1][:_EXTENTS]
    return _stored(call, place, type_, values)


def _made(call: LibraryCall) -> Value | None:
    """make_int2(x, y) and its like."""
    type_ = call.returns
    record = call.machine.records.get(type_.key) if isinstance(type_, RecordType) else None
    if record is None or len(record.fields) != len(call.arguments):
        return None
    cells: dict[int, Cell] = {}
    for member, value in zip(record.fields, call.arguments, strict=True):
        cells[member.offset] = Cell(value, member.type, call.width(member.type) or 1)
    return Parts(cells)


def _stored(call: LibraryCall, place: Pointer, type_: RecordType, values: list[Value]) -> Value | None:
    record = call.machine.records.get(type_.key)
    if record is None or place.offset is None or len(record.fields) != len(values):
        return None
    for member, value in zip(record.fields, values, strict=True):
        call.store(Pointer(place.target, place.offset + member.offset), value, member.type)
    return UNKNOWN


def construct(call: LibraryCall, constructor: Function, place: Pointer, first: int) -> None:
    """Runs a constructor on a new object, with the arguments of a call from one on: references as they are."""
    types = tuple(p.type for p in constructor.parameters)
    values = (
        call.arguments[i] if isinstance(t, PointerType) and t.reference else call.value(i)
        for i, t in enumerate(types[1:], first)
    )
    returns = constructor.ref.returns
    call.machine.call(constructor.ref, (place, *values), types, returns, call.span)


def constructor_of(machine: Machine, type_: RecordType, count: int) -> Function | None:
    """The only constructor of a record with so many parameters, the object among them, other than for a copy."""
    record = machine.records.get(type_.key)
    if record is None:
        return None
    found = [f for f in machine.functions.values() if _constructs(f, record.name, type_, count)]
    return found[0] if len(found) == 1 else None


def _constructs(function: Function, name: str, type_: RecordType, count: int) -> bool:
    types = [p.type for p in function.parameters]
    if function.body is None or len(types) != count or not isinstance(types[0], PointerType) or types[0].to != type_:
        return False
    copies = count == _COPY and isinstance(types[1], PointerType) and types[1].to == type_
    return function.ref.name == name.rpartition("::")[2].partition("<")[0] and not copies
