"""Models of objects that stand for another one in the concrete run.

They are elements of `std::vector<bool>`, and of device memory by Thrust, what can be called as `std::function`, what
`std::ref` makes, and `std::initializer_list`, whose value is the address of its array (C++ [dcl.init.list]).
"""

from __future__ import annotations

from typing import Final

from hgrd.host.concrete.library.call import LibraryCall, Model, number_type
from hgrd.host.concrete.library.cpp.elements import keep, own_type
from hgrd.host.concrete.state.machine import Machine
from hgrd.host.concrete.state.memory import forget, load, store, width_of
from hgrd.host.concrete.state.values import NULL, UNKNOWN, Callee, Closure, Null, Object, Pointer, StoppedError, Value
from hgrd.program import expressions as ir
from hgrd.program.expressions import FunctionRef
from hgrd.program.program import Function
from hgrd.program.types import POINTER_SIZE, OpaqueType, PointerType, RecordType, Type
from hgrd.program.walk import nodes

FUNCTION: Final = "std::function"
_REFERENCES: Final = ("std::__bit_reference", "std::_Bit_reference", "thrust::device_reference")
_REFERRING: Final = ("std::ref", "std::cref")
_WRAPPER: Final = "std::reference_wrapper<"


def reference_model(function: FunctionRef) -> Model | None:
    """The model of a member of such a class; None: of another one."""
    owner, _, name = function.qualified.rpartition("::")
    if function.qualified in _REFERRING:
        return _referring
    if owner not in _REFERENCES:
        return None
    return _assigned_reference if name == "operator=" else _read_reference


def _referring(call: LibraryCall) -> Value | None:
    """ref(x), cref(x): an object that holds the address of x."""
    return call.pointer(0)


def _read_reference(call: LibraryCall) -> Value | None:
    """The element that a reference object stands for."""
    held = load(call.pointer(0), call.pointee(0) or call.returns, call.machine.records)
    return load(held, call.returns, call.machine.records) if isinstance(held, Pointer) else UNKNOWN


def _assigned_reference(call: LibraryCall) -> Value | None:
    held = load(call.pointer(0), call.pointee(0) or call.returns, call.machine.records)
    type_ = call.types[1]
    if not isinstance(held, Pointer):
        raise StoppedError
    if isinstance(type_, PointerType):
        forget(held.target)
    else:
        call.store(held, call.value(1), type_)
    return call.arguments[0]


def function_model(function: FunctionRef) -> Model | None:
    """The model of a member of `std::function`; None: of another class."""
    owner, _, name = function.qualified.rpartition("::")
    if owner != FUNCTION:
        return None
    return {"function": _constructed, "operator=": _assigned, "operator()": _called}.get(name, _stops)


def _constructed(call: LibraryCall) -> Value | None:
    keep(call.pointer(0), callable_of(call, 1) if len(call.arguments) > 1 else NULL, own_type(call))
    return UNKNOWN


def _assigned(call: LibraryCall) -> Value | None:
    keep(call.pointer(0), callable_of(call, 1), own_type(call))
    return call.arguments[0]


def callable_of(call: LibraryCall, index: int) -> Closure | Callee | Null:
    """What an argument can call, from now on a copy of its own; one that changes itself is not followed."""
    value, machine, type_ = call.value(index), call.machine, call.types[index]
    type_ = type_.to if isinstance(type_, PointerType) else type_
    if isinstance(value, Closure | Callee | Null) and (isinstance(type_, OpaqueType) or not isinstance(value, Closure)):
        return value
    if not isinstance(type_, RecordType):
        raise StoppedError
    operator = operator_of(machine, type_.key)
    if operator is None or _changes_itself(operator):
        raise StoppedError
    made = Object("function", width_of(type_, machine.records))
    store(Pointer(made, 0), value, type_, machine.records, call.span)
    return Closure(made, type_.key)


def operator_of(machine: Machine, record: str) -> Function | None:
    """The only call operator of a record."""
    found = [f for f in machine.functions.values() if f.ref.name == "operator()" and _is_method(f, record)]
    return found[0] if len(found) == 1 else None


def _is_method(function: Function, record: str) -> bool:
    this = function.parameters[0].type if function.parameters else None
    return isinstance(this, PointerType) and this.to == RecordType(record) and function.body is not None


def _changes_itself(operator: Function) -> bool:
    """Whether a method stores something in its object."""
    changed = (n.place for n in nodes(operator.body) if isinstance(n, ir.Assign | ir.Update))
    return any(_is_part(place, operator.parameters[0].key) for place in changed)


def _is_part(place: ir.Place, this: str) -> bool:
    match place:
        case ir.FieldPlace(base=base):
            return _is_part(base, this)
        case ir.Deref(pointer=ir.Load(place=ir.VariablePlace(variable=variable))):
            return variable.key == this
        case _:
            return False


def _called(call: LibraryCall) -> Value | None:
    place = call.value(0) if not isinstance(call.arguments[0], Pointer) else call.arguments[0]
    cell = place.target.cells.get(place.offset or 0) if isinstance(place, Pointer) else None
    return run_callable(call, UNKNOWN if cell is None else cell.value, 1)


def function_of(machine: Machine, value: Value) -> tuple[Function | None, tuple[Value, ...]]:
    """The function that a value calls, and the object that it belongs to; None: that is not known."""
    match value:
        case Closure(target=target, record=record):
            return operator_of(machine, record), (Pointer(target, 0),)
        case Callee(function=ref):
            return machine.functions.get(ref.key), ()
        case _:
            return None, ()


def run_callable(call: LibraryCall, value: Value, first: int) -> Value:
    """Calls what an object holds, with the arguments of a call from one on: references as they are, and values."""
    function, own = function_of(call.machine, value)
    if function is None or len(own) + len(call.arguments) - first != len(function.parameters):
        raise StoppedError
    types = tuple(p.type for p in function.parameters)
    given = [_given(call, i, type_) for i, type_ in enumerate(types[len(own) :], first)]
    return call.machine.call(function.ref, (*own, *given), types, function.ref.returns, call.span)


def _given(call: LibraryCall, index: int, type_: Type) -> Value:
    """An argument for a parameter of a type: a reference as it is, or what `std::ref` has made it."""
    pointee = call.pointee(index)
    if isinstance(pointee, OpaqueType) and pointee.name.startswith(_WRAPPER):
        return call.value(index)
    return call.arguments[index] if isinstance(type_, PointerType) and type_.reference else call.value(index)


def _stops(call: LibraryCall) -> Value | None:
    raise StoppedError


def list_model(function: FunctionRef) -> Model | None:
    """The model of a member of a list; None: of another function."""
    owner, _, name = function.qualified.rpartition("::")
    models = {"begin": _begin, "end": _end, "size": _size, "initializer_list": _empty}
    return models.get(name) if owner == "std::initializer_list" else None


def _empty(call: LibraryCall) -> Value | None:
    keep(call.pointer(0), Pointer(Object("list", 0), 0), own_type(call))
    return UNKNOWN


def _size(call: LibraryCall) -> Value | None:
    """The number of elements, of a list of pointers or numbers."""
    array, type_ = _array_of(call), own_type(call)
    name = type_.name.partition("<")[2].removesuffix(">") if isinstance(type_, OpaqueType) else ""
    width = POINTER_SIZE if name.endswith("*") else call.width(number_type(name))
    if array is None or array.target.size is None or not width:
        return UNKNOWN
    return array.target.size // width


def _begin(call: LibraryCall) -> Value | None:
    return _array_of(call) or UNKNOWN


def _end(call: LibraryCall) -> Value | None:
    array = _array_of(call)
    return UNKNOWN if array is None else Pointer(array.target, array.target.size)


def _array_of(call: LibraryCall) -> Pointer | None:
    here = call.pointer(0)
    cell = None if here.offset is None else here.target.cells.get(here.offset)
    return cell.value if cell is not None and isinstance(cell.value, Pointer) else None
