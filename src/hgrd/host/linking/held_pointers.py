"""Held pointers: whether a kernel finds pointers in memory, where host code or other kernels have put them."""

from __future__ import annotations

from hgrd.host.linking.constant_memory import run_by
from hgrd.host.linking.link import Linked
from hgrd.program import expressions as ir
from hgrd.program.expressions import Storage
from hgrd.program.types import ArrayType, BoolType, FloatType, IntType, OpaqueType, PointerType, RecordType, Type
from hgrd.program.walk import nodes

_EMPTY = "std::integral_constant<"
_NAMED = (Storage.DEVICE, Storage.CONSTANT)


def finds_pointers(linked: Linked, kernel: str) -> bool:
    """Whether a kernel gets, or knows by name, memory that may hold pointers."""
    function = linked.functions.get(kernel)
    if function is None or function.body is None:
        return True
    if any(_leads_to_pointers(linked, p.type, frozenset()) for p in function.parameters):
        return True
    return any(
        node.variable.storage in _NAMED and _holds(linked, node.variable.type, frozenset())
        for called in run_by(kernel, linked.functions)
        for node in nodes(called.body)
        if isinstance(node, ir.VariablePlace)
    )


def _leads_to_pointers(linked: Linked, type_: Type, seen: frozenset[str]) -> bool:
    """Whether a pointer leads to memory that may hold pointers, or one in a record does."""
    match type_:
        case PointerType(to=to):
            return _holds(linked, to, seen)
        case RecordType(key=key) if key not in seen:
            record = linked.records.get(key)
            fields = () if record is None else record.fields
            return record is None or any(_leads_to_pointers(linked, f.type, seen | {key}) for f in fields)
        case OpaqueType(name=name):
            return not name.startswith(_EMPTY)
        case ArrayType(of=of):
            return _leads_to_pointers(linked, of, seen)
        case _:
            return not isinstance(type_, IntType | FloatType | BoolType | RecordType)


def _holds(linked: Linked, type_: Type, seen: frozenset[str]) -> bool:
    match type_:
        case RecordType(key=key):
            record = linked.records.get(key)
            fields = () if record is None else record.fields
            return record is None or any(_holds(linked, f.type, seen | {key}) for f in fields if key not in seen)
        case ArrayType(of=of):
            return _holds(linked, of, seen)
        case _:
            return not isinstance(type_, IntType | FloatType | BoolType)
