"""Members of records at places in memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from hgrd.program.layout import members_in_slots, scalars, size_of, slot_of
from hgrd.program.types import ArrayType, Field, OpaqueType, PointerType, Record, RecordType, Type
from hgrd.symbolic.values import Pointer, Value
from hgrd.terms import Term
from hgrd.terms.linear import linear

_MOST: Final = 256


class Parts(Struct, frozen=True):
    """Members of a record or array: the known ones as (offset, type, size), and offsets of those of library classes."""

    size: int
    known: tuple[tuple[int, Type, int], ...]
    slots: tuple[int, ...] = ()


def parts_of(type_: RecordType | ArrayType, records: Mapping[str, Record]) -> Parts | None:
    """What a record or array consists of; None: its layout is not known."""
    size = size_of(type_, records)
    if size is not None:
        members = scalars(type_, records, _MOST)
    elif isinstance(type_, RecordType):
        size, members = slot_of(type_, records), members_in_slots(type_, records, _MOST)
    else:
        return None
    if not size and isinstance(type_, RecordType):
        return None
    sized = ((at, member, size_of(member, records)) for at, member in members)
    known = tuple((at, member, width) for at, member, width in sized if width)
    return Parts(size, known, tuple(at for at, member in members if isinstance(member, OpaqueType)))


def slot_at(records: Mapping[str, Record], element: Type | None, offset: int, type_: Type) -> int:
    """Bytes of the member of a library class at an offset of an object; 0: none is known to be there."""
    if not isinstance(element, RecordType):
        return 0
    there = ((at, member) for at, member in members_in_slots(element, records, _MOST) if at == offset)
    return next((slot_of(member, records) for _, member in there if member == type_), 0)


def slot_of_member(records: Mapping[str, Record], value: Value, type_: Type | None) -> int:
    """Bytes of the member of a library's class that a value of this type points to; 0: it points to none.

    A library that gets such a pointer reaches this member, and not the rest of the program's object.
    """
    if not isinstance(value, Pointer) or not isinstance(type_, PointerType) or not value.offset.is_const:
        return 0
    return slot_at(records, value.target.element, value.offset.value, type_.to)


def member_at(records: Mapping[str, Record], element: Type | None, offset: Term) -> Field | None:
    """The member that begins at an offset in bytes of an object, a record or an array of them; None: it has none."""
    while isinstance(element, ArrayType):
        element = element.of
    size = size_of(element, records) if isinstance(element, RecordType) else None
    if not isinstance(element, RecordType) or not size:
        return None
    constant, atoms = linear(offset)
    if any(c % size for c in atoms.values()):
        return None
    known = records.get(element.key)
    return next((f for f in (() if known is None else known.fields) if f.offset == constant % size), None)
