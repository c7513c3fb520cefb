"""A call of a library function in the concrete run."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from msgspec import Struct

from hgrd.host.concrete.state.machine import Machine
from hgrd.host.concrete.state.memory import load, store, width_of
from hgrd.host.concrete.state.values import UNKNOWN, Pointer, StoppedError, Value
from hgrd.program.expressions import FunctionRef
from hgrd.program.span import Span
from hgrd.program.types import INT, LONG, UINT, ULONG, IntType, OpaqueType, PointerType, Type

_NUMBERS: Final[Mapping[str, IntType]] = {
    "char": IntType(8, True), "signed char": IntType(8, True), "unsigned char": IntType(8, False),
    "short": IntType(16, True), "unsigned short": IntType(16, False), "int": INT, "unsigned int": UINT,
    "long": LONG, "unsigned long": ULONG, "long long": LONG, "unsigned long long": ULONG,
}  # fmt: skip
_HANDLE: Final = re.compile(r"thrust::(?:device_ptr|pointer|device_reference)<(.*)>$")


def number_type(name: str) -> IntType | None:
    """The type of numbers of a name; None: another type."""
    return _NUMBERS.get(name)


def pointee_of(type_: Type) -> Type | None:
    """The type that values of a type point to, also those of Thrust's pointers to numbers."""
    match type_:
        case PointerType(to=to):
            return to
        case OpaqueType(name=name):
            handle = _HANDLE.match(name)
            return None if handle is None else _NUMBERS.get(handle[1].removeprefix("const ").split(",")[0])
        case _:
            return None


class LibraryCall(Struct, frozen=True):
    """A call: its arguments with their types, and the type of its result."""

    machine: Machine
    function: FunctionRef
    arguments: tuple[Value, ...]
    types: tuple[Type, ...]
    returns: Type
    span: Span

    def number(self, index: int) -> int | None:
        """An argument that is a number, or a reference to one; None: it is not known."""
        value = self.value(index)
        return value if isinstance(value, int) else None

    def value(self, index: int) -> Value:
        """An argument, or what it refers to; unknown where there is none."""
        if index >= len(self.arguments):
            return UNKNOWN
        value, type_ = self.arguments[index], self.types[index]
        if isinstance(type_, PointerType) and type_.reference and isinstance(value, Pointer):
            return load(value, type_.to, self.machine.records)
        return value

    def pointer(self, index: int) -> Pointer:
        """An argument that must be the address of something known: the run stops where it is not."""
        value = self.arguments[index] if index < len(self.arguments) else UNKNOWN
        if not isinstance(value, Pointer):
            raise StoppedError
        return value

    def pointee(self, index: int) -> Type | None:
        """The type that an argument points to."""
        return pointee_of(self.types[index]) if index < len(self.types) else None

    def width(self, type_: Type | None) -> int | None:
        return None if type_ is None else width_of(type_, self.machine.records)

    def store(self, place: Pointer, value: Value, type_: Type) -> None:
        """Stores a value as the library does."""
        store(place, value, type_, self.machine.records, self.span)


Model: TypeAlias = Callable[[LibraryCall], "Value | None"]
"""The result of a call; None: this form of the function has no model."""
