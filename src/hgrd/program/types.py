"""C types with widths, and the layout of records."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct


class VoidType(Struct, frozen=True):
    pass


class BoolType(Struct, frozen=True):
    pass


class IntType(Struct, frozen=True):
    """Integer; `values`: the least and greatest value of an enumeration ([dcl.enum]/8); None: those of `bits`."""

    bits: int
    signed: bool
    values: tuple[int, int] | None = None

    @property
    def range(self) -> tuple[int, int]:
        """Least and greatest value that an object of this type can hold."""
        if self.values is not None:
            return self.values
        half = 1 << (self.bits - 1)
        return (-half, half - 1) if self.signed else (0, 2 * half - 1)


class FloatType(Struct, frozen=True):
    bits: int


class PointerType(Struct, frozen=True):
    """A pointer, or a reference (`reference`), which the IR dereferences explicitly."""

    to: Type
    reference: bool = False


class ArrayType(Struct, frozen=True):
    """Array; `count` is None for `T[]` (extern __shared__, flexible members), 0 for a variable of unknown length."""

    of: Type
    count: int | None


class RecordType(Struct, frozen=True):
    """A struct, class or union, by its key in `Program.records`."""

    key: str


class FunctionType(Struct, frozen=True):
    """Function type; `returns` is None where the signature is unknown; `parameters` are without a method's object."""

    returns: Type | None = None
    parameters: tuple[Type, ...] = ()


class OpaqueType(Struct, frozen=True):
    """Type of unknown layout (library classes, incomplete types)."""

    name: str


Type: TypeAlias = (
    VoidType | BoolType | IntType | FloatType | PointerType | ArrayType | RecordType | FunctionType | OpaqueType
)

VOID = VoidType()
BOOL = BoolType()
CHAR = IntType(8, True)
INT = IntType(32, True)
UINT = IntType(32, False)
LONG = IntType(64, True)
ULONG = IntType(64, False)
FLOAT = FloatType(32)
DOUBLE = FloatType(64)
POINTER_SIZE = 8


class Field(Struct, frozen=True):
    """A data member (or a base class, `name` "") at `offset` bytes.

    A bit-field has `bits` bits, from bit `shift` on, of the integer at `offset`; `bits` None: no bit-field.
    """

    name: str
    type: Type
    offset: int
    bits: int | None = None
    shift: int = 0


class Record(Struct, frozen=True):
    """Record layout by the Itanium C++ ABI; sizes and offsets in bytes.

    `complete` is False where a member's size is unknown: the offsets may then be wrong.
    """

    key: str
    name: str
    size: int
    align: int
    fields: tuple[Field, ...]
    union: bool = False
    complete: bool = True
