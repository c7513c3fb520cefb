"""Sizes and alignments of types in bytes (x86-64 and CUDA agree on these)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hgrd.cuda.atomics import atomic_object_size
from hgrd.cuda.barrier_objects import OBJECT_SIZE, is_barrier
from hgrd.cuda.cub import STORAGE_SIZE, uses_storage
from hgrd.cuda.groups import HANDLE_SIZE, is_group
from hgrd.program.types import (
    POINTER_SIZE,
    ArrayType,
    BoolType,
    Field,
    FloatType,
    IntType,
    OpaqueType,
    PointerType,
    Record,
    RecordType,
    Type,
)

_LIBRARIES: Final = ("std::", "thrust::")
_POINTERS: Final = ("std::unique_ptr<", "std::shared_ptr<", "thrust::device_ptr<")  # as big as what is kept of them
_SLOT: Final = 64


def size_of(type_: Type, records: Mapping[str, Record]) -> int | None:
    """Size of a type in bytes; None where it is unknown."""
    match type_:
        case BoolType():
            return 1
        case FloatType(bits=80):
            return 16
        case IntType(bits=bits) | FloatType(bits=bits):
            return bits // 8
        case PointerType():
            return POINTER_SIZE
        case ArrayType(of=element, count=count):
            size = size_of(element, records)
            return None if size is None or count is None else size * count
        case RecordType(key=key):
            record = records.get(key)
            return record.size if record is not None and record.complete else None
        case OpaqueType(name=name) if is_group(name):
            return HANDLE_SIZE
        case OpaqueType(name=name) if is_barrier(name):
            return OBJECT_SIZE
        case OpaqueType(name=name) if name.endswith("::TempStorage"):
            return STORAGE_SIZE
        case OpaqueType(name=name) if uses_storage(name):
            return POINTER_SIZE
        case OpaqueType(name=name) if name.startswith(_POINTERS):
            return POINTER_SIZE
        case OpaqueType(name=name):
            return atomic_object_size(name)
        case _:
            return None


def slot_of(type_: Type, records: Mapping[str, Record]) -> int:
    """Bytes that a layout gives a member of unknown size, so that it is apart from the next one; 0: it is not.

    Such are objects of library classes, and of records with members of such classes.
    """
    match type_:
        case OpaqueType(name=name) if name.startswith(_LIBRARIES):
            return _SLOT
        case RecordType(key=key) if key in records:
            return records[key].size
        case _:
            return 0


def holds_pointers(type_: Type, records: Mapping[str, Record]) -> bool:
    """Whether objects of a type are pointers, or have elements or members that are."""
    match type_:
        case PointerType():
            return True
        case OpaqueType(name=name):
            return name.startswith(_POINTERS)
        case ArrayType(of=element):
            return holds_pointers(element, records)
        case RecordType(key=key):
            record = records.get(key)
            return record is not None and any(holds_pointers(f.type, records) for f in record.fields)
        case _:
            return False


def are_numbers(type_: Type, records: Mapping[str, Record]) -> bool:
    """Whether objects of a type are numbers, or have elements and members that are, and nothing else."""
    match type_:
        case IntType() | FloatType() | BoolType():
            return True
        case ArrayType(of=element):
            return are_numbers(element, records)
        case RecordType(key=key):
            record = records.get(key)
            return record is not None and record.complete and all(are_numbers(f.type, records) for f in record.fields)
        case _:
            return False


def align_of(type_: Type, records: Mapping[str, Record]) -> int:
    """Alignment of a type in bytes; 1 where it is unknown."""
    match type_:
        case ArrayType(of=element):
            return align_of(element, records)
        case RecordType(key=key):
            record = records.get(key)
            return record.align if record is not None else 1
        case FloatType(bits=80) | FloatType(bits=128) | IntType(bits=128):
            return 16
        case _:
            return size_of(type_, records) or 1


def keeps_alignment(record: Record, records: Mapping[str, Record]) -> bool:
    """Whether each member of a record is where its type wants it to be, which `packed` and `#pragma pack` change."""
    plain = [f for f in record.fields if f.bits is None] if record.complete else []
    wanted = [(f.offset, align_of(f.type, records)) for f in plain]
    return all(offset % align == 0 and record.align % align == 0 for offset, align in wanted)


def unit_type(field: Field) -> IntType:
    """The integer that a bit-field is a part of."""
    return IntType(field.type.bits if isinstance(field.type, IntType) else 8, False)


def stored_type(field: Field) -> Type:
    """Type of what memory holds at the offset of a member: for a bit-field, the integer that it is a part of."""
    return field.type if field.bits is None else unit_type(field)


def bit_units(type_: Type, records: Mapping[str, Record]) -> frozenset[int]:
    """Offsets of the integers that bit-fields are parts of, among a record's own members; empty for other types."""
    record = records.get(type_.key) if isinstance(type_, RecordType) else None
    return frozenset() if record is None else frozenset(f.offset for f in record.fields if f.bits is not None)


def members_in_slots(type_: RecordType, records: Mapping[str, Record], limit: int) -> list[tuple[int, Type]]:
    """Members of a record of unknown size as (offset, type), those of library classes among them.

    [] if there are more than `limit`, or if members are not kept apart.
    """
    record = records.get(type_.key)
    found: list[tuple[int, Type]] = []
    for field in () if record is None or record.union else record.fields:
        stored = stored_type(field)
        if size_of(stored, records) is not None:
            inner = scalars(stored, records, limit)
        elif isinstance(stored, RecordType):
            inner = members_in_slots(stored, records, limit)
        else:
            inner = [(0, stored)]
        if not (size_of(stored, records) or slot_of(stored, records)):
            return []
        found += [(field.offset + at, t) for at, t in inner]
    return found if len(found) <= limit else []


def scalars(type_: Type, records: Mapping[str, Record], limit: int) -> list[tuple[int, Type]]:
    """Scalar members of a type as (offset, type); [] if there are more than `limit`."""
    match type_:
        case RecordType(key=key):
            record = records.get(key)
            if record is None or not record.complete:
                return []
            found: list[tuple[int, Type]] = []
            for field in record.fields:
                found += [(field.offset + at, t) for at, t in scalars(stored_type(field), records, limit)]
            return found if len(found) <= limit else []
        case ArrayType(of=element, count=count):
            size = size_of(element, records)
            if count is None or size is None or count > limit:
                return []
            inner = scalars(element, records, limit)
            if count * len(inner) > limit:
                return []
            return [(i * size + at, t) for i in range(count) for at, t in inner]
        case _:
            return [(0, type_)]
