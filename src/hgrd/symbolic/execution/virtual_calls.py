"""Virtual calls: the final overrider in the object's class, or those in all classes it may be of."""

from __future__ import annotations

from collections.abc import Mapping

from hgrd.program.expressions import FunctionRef
from hgrd.program.program import Function
from hgrd.program.types import Record, RecordType
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.pointers import move
from hgrd.symbolic.values import MemorySpace, Pointer, Value
from hgrd.terms import const


def overriders(machine: Machine, method: FunctionRef, object_: Value) -> tuple[tuple[FunctionRef, Value], ...]:
    """The functions that a virtual call of `method` can reach, each with its `this`.

    All classes of the given files are known; a local object is of the class that it is declared as.
    """
    owner = _owner(method)
    found: list[tuple[str, FunctionRef, Value]] = []
    for function in machine.functions.values():
        offset = _offset_of_base(_owner(function.ref), owner, machine.records)
        if offset is not None and _overrides(function, machine.functions.get(method.key), method):
            found.append((_owner(function.ref), function.ref, move(object_, const(-offset)) if offset else object_))
    exact = _class_of(object_, owner, machine.records)
    if exact is not None:
        depths = {key: _depth(exact, key, machine.records) for key, _, _ in found}
        nearest = min((d for d in depths.values() if d is not None), default=None)
        found = [f for f in found if depths[f[0]] is not None and depths[f[0]] == nearest]
    return tuple((function, this) for _, function, this in found)


def _owner(method: FunctionRef) -> str:
    """The key of the class that declares a method."""
    return method.qualified.removesuffix(f"::{method.name}")


def _overrides(function: Function, method: Function | None, named: FunctionRef) -> bool:
    both_end = function.ref.name.startswith("~") and named.name.startswith("~")  # named after its class
    if (function.ref.name != named.name and not both_end) or function.pure:
        return False
    if method is None or method.body is None or function.body is None:
        return True
    return [p.type for p in function.parameters[1:]] == [p.type for p in method.parameters[1:]]


def _bases(key: str, records: Mapping[str, Record]) -> list[tuple[str, int]]:
    record = records.get(key)
    fields = () if record is None else record.fields
    return [(f.type.key, f.offset) for f in fields if f.name == "" and isinstance(f.type, RecordType)]


def _offset_of_base(derived: str, base: str, records: Mapping[str, Record]) -> int | None:
    """The offset of a base class object in a derived one; None: it is no base class."""
    if derived == base:
        return 0
    for key, at in _bases(derived, records):
        inside = _offset_of_base(key, base, records)
        if inside is not None:
            return at + inside
    return None


def _depth(derived: str, base: str, records: Mapping[str, Record]) -> int | None:
    """The number of derivations between the two; None: it is no base class."""
    if derived == base:
        return 0
    depths = [_depth(key, base, records) for key, _ in _bases(derived, records)]
    return min((d + 1 for d in depths if d is not None), default=None)


def _class_of(object_: Value, owner: str, records: Mapping[str, Record]) -> str | None:
    """The class of the local object that this `owner` is part of; None if unknown."""
    match object_:
        case Pointer(target=target, offset=offset) if target.space is MemorySpace.LOCAL and offset.is_const:
            if not isinstance(target.element, RecordType):
                return None
            whole = target.element.key
            return whole if _offset_of_base(whole, owner, records) == offset.value else None
        case _:
            return None
