"""Pointers that a function of the host finds in the records that it is given, and follows: at which offsets they stand.

auto *job = static_cast<Job *>(data); job->out[0] = 1;      // out, but not job->in
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from hgrd.host.linking.constant_memory import run_by
from hgrd.host.linking.kernel_accesses import bare, member_of
from hgrd.program import expressions as ir
from hgrd.program import statements as st
from hgrd.program.layout import size_of, slot_of
from hgrd.program.program import Function
from hgrd.program.types import POINTER_SIZE, ArrayType, PointerType, Record, RecordType, Type, VoidType
from hgrd.program.walk import nodes

Range: TypeAlias = tuple[int, int]
"""Bytes of a record, from the first one to before the last one."""
_UNKNOWN: Final = (ir.IndirectCall, ir.Unsupported, st.UnsupportedStatement, st.Assembly)


def followed_pointers(
    key: str, functions: Mapping[str, Function], records: Mapping[str, Record]
) -> frozenset[Range] | None:
    """Where in a record the pointers stand that a function, or what it calls, may follow; None: anywhere."""
    return _of_all_nodes(key, functions, lambda node: _followed(node, functions, records))


def _followed(
    node: object, functions: Mapping[str, Function], records: Mapping[str, Record]
) -> tuple[Range, ...] | None:
    match node:
        case ir.Load(place=place, type=PointerType()) if member_of(place) is None:
            return _at(place, POINTER_SIZE)
        case ir.Load(place=place, type=RecordType() | ArrayType()) if member_of(place) is None:
            return None
        case ir.AddressOf(place=place) if member_of(place) is None:
            return _at(place, size_of(_type_of(place), records) or slot_of(_type_of(place), records) or None)
        case ir.PointerAdd(pointer=pointer) if _leads_to_record(pointer):
            return None
        case ir.Call(function=function, arguments=arguments) if not _has_body(function.key, functions):
            return None if any(_leads_to_record(a) for a in arguments) else ()
        case _ if isinstance(node, _UNKNOWN):
            return None
        case _:
            return ()


def written_bytes(
    key: str, functions: Mapping[str, Function], records: Mapping[str, Record]
) -> frozenset[Range] | None:
    """Which bytes of a record a function, or what it calls, may write, besides what pointers lead to; None: any."""
    return _of_all_nodes(key, functions, lambda node: _written(node, functions, records))


def _written(
    node: object, functions: Mapping[str, Function], records: Mapping[str, Record]
) -> tuple[Range, ...] | None:
    match node:
        case ir.Assign(place=place) | ir.Update(place=place) | ir.AddressOf(place=place) if member_of(place) is None:
            if isinstance(place, ir.FieldPlace):
                return _at(place, size_of(place.field.type, records) or slot_of(place.field.type, records) or None)
            return () if _is_behind_member(place) else None
        case ir.Call(function=function, arguments=arguments) if not _has_body(function.key, functions):
            return None if any(_leads_to_record(a) for a in arguments) else ()
        case _:
            return None if isinstance(node, _UNKNOWN) else ()


def _is_behind_member(place: ir.Place) -> bool:
    """Whether a place is what a pointer leads to that is found in a record, or an element that a call gives."""
    if not isinstance(place, ir.Deref):
        return False
    pointer = bare(place.pointer)
    while isinstance(pointer, ir.PointerAdd):
        pointer = bare(pointer.pointer)
    return isinstance(pointer, ir.Call) or (isinstance(pointer, ir.Load) and isinstance(pointer.place, ir.FieldPlace))


def _of_all_nodes(
    key: str, functions: Mapping[str, Function], of: Callable[[object], tuple[Range, ...] | None]
) -> frozenset[Range] | None:
    """What is said of all nodes of a function and of what it calls; None: it has no body, or one is not known."""
    if not _has_body(key, functions):
        return None
    found: set[Range] = set()
    for node in (node for function in run_by(key, functions) for node in nodes(function.body)):
        known = of(node)
        if known is None:
            return None
        found.update(known)
    return frozenset(found)


def _has_body(key: str, functions: Mapping[str, Function]) -> bool:
    function = functions.get(key)
    return function is not None and function.body is not None


def _at(place: ir.Place, size: int | None) -> tuple[Range, ...] | None:
    """The bytes of a member of a record that a pointer leads to."""
    offset, inner = 0, place
    while isinstance(inner, ir.FieldPlace):
        offset, inner = offset + inner.field.offset, inner.base
    if size is None or inner is place or not isinstance(inner, ir.Deref):
        return None
    return ((offset, offset + size),)


def _type_of(place: ir.Place) -> Type:
    return place.field.type if isinstance(place, ir.FieldPlace) else VoidType()


def _leads_to_record(pointer: ir.Expression) -> bool:
    """Whether a pointer in a variable leads to a record, or to anything."""
    match bare(pointer):
        case ir.Load(place=place, type=PointerType(to=RecordType() | VoidType())):
            return member_of(place) is not None
        case _:
            return False
