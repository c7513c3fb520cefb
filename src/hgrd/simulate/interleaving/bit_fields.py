"""Bit-fields: some bits of an integer in memory, which is read and written as a whole (C++ [intro.memory])."""

from __future__ import annotations

from hgrd.program.expressions import Expression, FieldPlace, Place
from hgrd.program.layout import unit_type
from hgrd.program.types import BoolType, Field, IntType
from hgrd.simulate import scalars
from hgrd.simulate.scalars import Scalar


def bit_field(node: Place | Expression) -> Field | None:
    """The bit-field that a place is; None of other places."""
    return node.field if isinstance(node, FieldPlace) and node.field.bits is not None else None


def size_of_unit(field: Field) -> int:
    """The size in bytes of the integer that a bit-field is a part of."""
    return unit_type(field).bits // 8


def bits_in(unit: bytes, field: Field) -> Scalar:
    """The number that a bit-field has in the integer."""
    return kept(int.from_bytes(unit, "little") >> field.shift, field)


def kept(value: Scalar, field: Field) -> Scalar:
    """The number that a bit-field keeps of one that is stored."""
    number = scalars.integer(value)
    if isinstance(field.type, BoolType):
        return number & 1
    signed = isinstance(field.type, IntType) and field.type.signed
    return scalars.wrapped(number, IntType(field.bits or 1, signed))


def with_bits(unit: bytes, value: Scalar, field: Field) -> bytes:
    """The integer with another number in the bit-field."""
    mask = ((1 << (field.bits or 1)) - 1) << field.shift
    others = int.from_bytes(unit, "little") & ~mask
    return (others | ((scalars.integer(value) << field.shift) & mask)).to_bytes(len(unit), "little")
