"""Models of `std::unique_ptr` and `std::shared_ptr` in the concrete run: their value is the address of what they own.

What a pointer stops to own is not followed: its destructor is not run.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from hgrd.host.concrete.library.call import LibraryCall, Model, pointee_of
from hgrd.host.concrete.library.cpp.records import construct, constructor_of
from hgrd.host.concrete.state.memory import width_of
from hgrd.host.concrete.state.values import NULL, UNKNOWN, Cell, Null, Object, Pointer, StoppedError, Value
from hgrd.program.expressions import FunctionRef
from hgrd.program.types import OpaqueType, RecordType, Type

_POINTER: Final = re.compile(r"std::(?:unique_ptr|shared_ptr)<(.*)>$")
_MAKERS: Final = ("std::make_unique", "std::make_shared")
_UNIQUE: Final = "std::unique_ptr"
_OWNERS: Final = (_UNIQUE, "std::shared_ptr")


def is_smart_pointer(type_: Type) -> bool:
    return isinstance(type_, OpaqueType) and _POINTER.match(type_.name) is not None


def smart_pointer_model(function: FunctionRef) -> Model | None:
    """The model of a member of a smart pointer, or of `std::make_unique`; None: of another function."""
    if function.qualified in _MAKERS:
        return _made
    owner, _, name = function.qualified.rpartition("::")
    if owner not in _OWNERS:
        return None
    return _constructed if name == owner.rpartition("::")[2] else _METHODS.get(name, _stops)


def _made(call: LibraryCall) -> Value | None:
    """std::make_unique<T>(…), std::make_unique<T[]>(n)."""
    match = _POINTER.match(call.returns.name) if isinstance(call.returns, OpaqueType) else None
    records = call.machine.records
    name = "" if match is None else match[1].partition(",")[0]
    key = next((r.key for r in records.values() if r.name == name), None)
    if key is None:
        return Pointer(Object("object"), 0)
    type_ = RecordType(key)
    made = Object("object", width_of(type_, records))
    constructor = constructor_of(call.machine, type_, 1 + len(call.arguments))
    if constructor is not None:
        construct(call, constructor, Pointer(made, 0), 0)
    elif call.arguments:
        raise StoppedError
    return Pointer(made, 0)


def _cell(call: LibraryCall, index: int) -> Cell | None:
    place = call.pointer(index)
    return None if place.offset is None else place.target.cells.get(place.offset)


def _held(call: LibraryCall, index: int = 0) -> Value:
    """What a smart pointer points to, given the address of that."""
    cell = _cell(call, index)
    return UNKNOWN if cell is None else cell.value


def _keep(call: LibraryCall, value: Value) -> None:
    call.store(call.pointer(0), value, call.pointee(0) or OpaqueType(""))


def _constructed(call: LibraryCall) -> Value | None:
    """unique_ptr(), unique_ptr(p), unique_ptr(std::move(other))."""
    _keep(call, NULL if len(call.arguments) == 1 else _taken(call))
    return UNKNOWN


def _taken(call: LibraryCall) -> Value:
    """What an argument gives: an address, nothing, or what another smart pointer owns (a unique one gives it up)."""
    value, type_ = call.arguments[1], call.pointee(1)
    if not (isinstance(type_, OpaqueType) and is_smart_pointer(type_)):
        return call.value(1) if isinstance(call.value(1), Pointer | Null) else UNKNOWN
    owned = _held(call, 1)
    if isinstance(value, Pointer) and type_.name.startswith(_UNIQUE):
        call.store(value, NULL, type_)
    return owned


def _assigned(call: LibraryCall) -> Value | None:
    _keep(call, _taken(call))
    return call.arguments[0]


def _reset(call: LibraryCall) -> Value | None:
    _keep(call, NULL if len(call.arguments) == 1 else _taken(call))
    return UNKNOWN


def _released(call: LibraryCall) -> Value | None:
    owned = _held(call)
    _keep(call, NULL)
    return owned


def _address(call: LibraryCall) -> Value | None:
    return _held(call)


def _owns(call: LibraryCall) -> Value | None:
    """operator bool."""
    owned = _held(call)
    return UNKNOWN if owned is UNKNOWN else int(isinstance(owned, Pointer))


def _element(call: LibraryCall) -> Value | None:
    """operator[] of a pointer to an array."""
    owned, index, width = _held(call), call.number(1), call.width(pointee_of(call.returns))
    if not isinstance(owned, Pointer):
        return UNKNOWN
    known = owned.offset is not None and index is not None and width is not None
    return Pointer(owned.target, (owned.offset or 0) + (index or 0) * (width or 0) if known else None)


def _stops(call: LibraryCall) -> Value | None:
    """Any other member."""
    raise StoppedError


_METHODS: Final[Mapping[str, Model]] = {
    **dict.fromkeys(("get", "operator->", "operator*"), _address),
    "operator bool": _owns,
    "operator[]": _element,
    "operator=": _assigned,
    "reset": _reset,
    "release": _released,
}
