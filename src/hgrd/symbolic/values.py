"""Symbolic values: what variables, expressions and memory cells hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum
from math import ceil, floor
from typing import Final, TypeAlias

from msgspec import Struct

from hgrd.program.expressions import FunctionRef
from hgrd.program.layout import scalars, size_of
from hgrd.program.span import Span
from hgrd.program.types import ArrayType, BoolType, FloatType, IntType, PointerType, Record, RecordType, Type
from hgrd.terms import FALSE, Term, const, read


class MemorySpace(Enum):
    LOCAL = "local"  # variables and temporaries of one thread (host or device)
    SHARED = "shared"
    GLOBAL = "global"
    CONSTANT = "constant"
    HOST = "host"  # host heap and host globals


class MemoryObject(Struct, frozen=True):
    """A variable or an allocation.  Different keys never overlap.

    `name` is what the source calls it.  `size` in bytes, None if not known.  `element` is the type it
    is accessed as, where known.  `external`: it came in through a pointer of unknown origin, so that
    it differs from other objects only by assumption.  `exact`: it was made as an object of the class `element`.
    """

    key: str
    name: str
    space: MemorySpace
    element: Type | None
    size: Term | None
    span: Span
    external: bool = False
    exact: bool = False


class Pointer(Struct, frozen=True):
    """An address: `offset` bytes into an object."""

    target: MemoryObject
    offset: Term


class NullValue(Struct, frozen=True):
    pass


class Choice(Struct, frozen=True):
    """One of two pointers."""

    condition: Term
    then: PointerValue
    otherwise: PointerValue


class FunctionValue(Struct, frozen=True):
    function: FunctionRef


Rational: TypeAlias = tuple[Term, int]
"""Its numerator and its positive denominator."""


class FloatValue(Struct, frozen=True):
    """A floating-point value by identity: equal keys are equal values.

    `exact` is (numerator, positive denominator) where it is a known rational: rounding is then ignored.  `near` are two
    rationals that it lies between where it is not, in either order: 9 n / 16 and 10 n / 16 for `0.6f * n`.
    """

    key: Term
    exact: Rational | None = None
    near: tuple[Rational, Rational] | None = None


class Cell(Struct, frozen=True):
    value: Value
    size: int


class Composite(Struct, frozen=True):
    """A record or array value: cells by byte offset.  `origin` names what the missing cells hold."""

    cells: Mapping[int, Cell]
    size: int
    origin: str | None = None


class OpaqueValue(Struct, frozen=True):
    """A value of which nothing is known (library objects, void)."""


PointerValue: TypeAlias = Pointer | Choice | NullValue | FunctionValue | OpaqueValue
Value: TypeAlias = Term | FloatValue | PointerValue | Composite

_PARTS: Final = 16
_ROUNDING: Final = 2.0**-20
_MOST_SCALARS: Final = 4096

OPAQUE = OpaqueValue()
NULL = NullValue()


def may_be_any(pointer: Value) -> bool:
    """Whether nothing is known of a pointer, or of one of several that it may be."""
    match pointer:
        case OpaqueValue():
            return True
        case Choice(then=a, otherwise=b):
            return may_be_any(a) or may_be_any(b)
        case _:
            return False


def pointed_to(value: Value) -> Iterator[MemoryObject]:
    """The objects that a value points to itself."""
    match value:
        case Pointer(target=target):
            yield target
        case Choice(then=a, otherwise=b):
            yield from pointed_to(a)
            yield from pointed_to(b)
        case Composite(cells=cells):
            for cell in cells.values():
                yield from pointed_to(cell.value)
        case _:
            pass


def terms_in(value: Value) -> list[Term]:
    """The integer terms of a value, and of the sizes of the objects it points to."""
    match value:
        case Term():
            return [value]
        case FloatValue(key=key, exact=exact):
            return [key] if exact is None else [key, exact[0]]
        case Pointer(target=target, offset=offset):
            return [offset] if target.size is None else [offset, target.size]
        case Choice(condition=condition, then=a, otherwise=b):
            return [condition, *terms_in(a), *terms_in(b)]
        case Composite(cells=cells):
            return [t for cell in cells.values() for t in terms_in(cell.value)]
        case _:
            return []


def float_constant(value: float) -> FloatValue:
    key = read(f"float {value!r}")
    if value != value or value in (float("inf"), float("-inf")):
        return FloatValue(key)
    numerator, denominator = value.as_integer_ratio()
    if denominator < 1 << 20:
        return FloatValue(key, (const(numerator), denominator))
    return FloatValue(key, near=_around(value))


def _around(value: float) -> tuple[Rational, Rational] | None:
    """The sixteenths next to a constant; None if rounding a product with it to 24 digits, twice, could get past one."""
    low, high = floor(value * _PARTS), ceil(value * _PARTS)
    far = all(abs(value * _PARTS - whole) > abs(whole) * _ROUNDING for whole in (low, high))
    return ((const(low), _PARTS), (const(high), _PARTS)) if far else None


def zero(type_: Type, records: Mapping[str, Record]) -> Value:
    """The value of an object with all bits zero; OPAQUE where the type has no known size."""
    match type_:
        case IntType():
            return const(0)
        case BoolType():
            return FALSE
        case FloatType():
            return float_constant(0.0)
        case PointerType():
            return NULL
        case RecordType() | ArrayType():
            return zeros(type_, records) or OPAQUE
        case _:
            return OPAQUE


def zeros(type_: Type, records: Mapping[str, Record]) -> Composite | None:
    """All scalar members of a type as zeros; None where the type has no known size."""
    size = size_of(type_, records)
    if size is None:
        return None
    cells: dict[int, Cell] = {}
    for at, member in scalars(type_, records, _MOST_SCALARS):
        width = size_of(member, records)
        if width:
            cells[at] = Cell(zero(member, records), width)
    return Composite(cells, size)
