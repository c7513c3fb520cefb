"""Bit-fields: parts of an integer in memory.

A store to one writes the whole integer and keeps the bits of the others, which are the same memory location (C++
[intro.memory]).
"""

from __future__ import annotations

import numpy as np

from hgrd.program import expressions as ir
from hgrd.program.layout import unit_type
from hgrd.program.types import Field, IntType
from hgrd.simulate.lockstep.access import SourceAccess, peek, write
from hgrd.simulate.lockstep.arithmetic import BOOL, DType, Value, dtype_of
from hgrd.simulate.lockstep.instructions import ActiveThreads
from hgrd.simulate.lockstep.memory import At, Scattered


def bit_field(place: ir.Place) -> Field | None:
    """The bit-field that a place is; None if it is none."""
    return place.field if isinstance(place, ir.FieldPlace) and place.field.bits is not None else None


def unit_of(field: Field) -> DType:
    """The dtype of the integer that a bit-field is a part of."""
    made = dtype_of(unit_type(field))
    assert made is not None
    return made


def extracted(unit: Value, field: Field) -> Value:
    """The field's number in an integer."""
    return cut(unit >> unit.dtype.type(field.shift), field)


def cut(value: Value, field: Field) -> Value:
    """The number that a field keeps of a number."""
    dtype, bits = dtype_of(field.type), field.bits or 1
    assert dtype is not None
    if dtype == BOOL:
        return (value & value.dtype.type(1)) != 0 if value.dtype != BOOL else value
    word = value.astype(np.uint64)
    kept = word & np.uint64((1 << bits) - 1)
    if isinstance(field.type, IntType) and field.type.signed:
        half = np.uint64(1 << (bits - 1))
        kept = (kept ^ half) - half
    return kept.astype(dtype)


def replaced(unit: Value, value: Value, field: Field) -> Value:
    """An integer with another number in the field."""
    ones = ((1 << (field.bits or 1)) - 1) << field.shift
    kept = unit.astype(np.uint64) & np.uint64(~ones & ((1 << 64) - 1))
    return (kept | ((value.astype(np.uint64) << np.uint64(field.shift)) & np.uint64(ones))).astype(unit.dtype)


def store_field(here: ActiveThreads, at: At | Scattered, access: SourceAccess, value: Value, field: Field) -> None:
    """Writes the integer with another number in the field; that its other bits are kept is no access of the program."""
    write(here, at, access, replaced(peek(here, at, access), value, field))
