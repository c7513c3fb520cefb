"""Virtual calls: the final overrider in the object's class, or those in all classes it may be of."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

from msgspec import Struct

from hgrd.program.expressions import FunctionRef
from hgrd.program.program import Function
from hgrd.program.types import Record, RecordType
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.pointers import move
from hgrd.symbolic.values import MemoryObject, MemorySpace, Pointer, Value
from hgrd.terms import const

_QUALIFIERS: Final = re.compile(r"\bconst\b|&+")
_CONST: Final = re.compile(r"\bconst\b|\s")
_OUTERMOST: Final = re.compile(r"\bconst\b(?=[^*&,<>]*[,)])")  # of a parameter: `int *const`, `const int`


class Overrider(Struct, frozen=True):
    """A function that a virtual call can reach, its `this`, and the numbers of the classes whose objects lead there.

    No numbers: it may be reached or not, whatever the class.
    """

    function: FunctionRef
    this: Value
    classes: tuple[int, ...]


def overriders(machine: Machine, method: FunctionRef, object_: Value) -> tuple[Overrider, ...]:
    """The functions that a virtual call of `method` can reach.

    All classes of the given files are known; a declared object, and one that `new` made, is of the class that the
    program says.
    """
    owner, records = _owner(method), machine.records
    found: list[tuple[str, FunctionRef, Value]] = []
    for function in machine.functions.values():
        offset = _offset_of_base(_owner(function.ref), owner, records)
        if offset is not None and _same_method(function, machine.functions.get(method.key), method):
            found.append((_owner(function.ref), function.ref, move(object_, const(-offset)) if offset else object_))
    exact = _class_of(object_, owner, records)
    if exact is not None:
        nearest = _nearest(exact, [key for key, _, _ in found], records)
        return tuple(Overrider(function, this, ()) for key, function, this in found if key in nearest)
    numbers = _numbers([key for key, _, _ in found], owner, records)
    return tuple(Overrider(function, this, numbers.get(key, ())) for key, function, this in found)


def _numbers(owners: list[str], base: str, records: Mapping[str, Record]) -> dict[str, tuple[int, ...]]:
    """The numbers of the classes derived from `base` whose overrider is of each owner, where the class decides that."""
    of: dict[str, tuple[int, ...]] = {}
    open_ = {key for key, count in Counter(owners).items() if count > 1}
    for number, class_ in enumerate(sorted(records)):
        nearest = _nearest(class_, owners, records) if _offset_of_base(class_, base, records) is not None else ()
        of.update((key, (*of.get(key, ()), number)) for key in nearest)
        open_.update(nearest if len(nearest) > 1 else ())
    return {key: numbers for key, numbers in of.items() if key not in open_}


def _nearest(class_: str, owners: Iterable[str], records: Mapping[str, Record]) -> set[str]:
    """Those of the bases of a class (and itself) that are the fewest derivations away."""
    depths = {key: depth for key in owners if (depth := _depth(class_, key, records)) is not None}
    least = min(depths.values(), default=0)
    return {key for key, depth in depths.items() if depth == least}


def _owner(method: FunctionRef) -> str:
    """The key of the class that declares a method."""
    return method.qualified.removesuffix(f"::{method.name}")


def overriding(
    method: FunctionRef, functions: Mapping[str, Function], records: Mapping[str, Record]
) -> tuple[str, ...]:
    """The keys of all functions that a virtual call of `method` can reach, whatever the object."""
    declared = functions.get(method.key)
    return tuple(
        key
        for key, function in functions.items()
        if _same_method(function, declared, method)
        and _offset_of_base(_owner(function.ref), _owner(method), records) is not None
    )


def _same_method(function: Function, method: Function | None, named: FunctionRef) -> bool:
    both_end = function.ref.name.startswith("~") and named.name.startswith("~")  # named after its class
    if (function.ref.name != named.name and not both_end) or function.pure:
        return False
    if method is None:
        return True
    if _differ_in_const(function.declared, method.declared):
        return False
    if method.body is None or function.body is None:
        return True
    return [p.type for p in function.parameters[1:]] == [p.type for p in method.parameters[1:]]


def _differ_in_const(one: str, other: str) -> bool:
    """Whether the types of two methods are alike but for `const` or `&`: none overrides the other ([class.virtual])."""
    (first, of_first), (second, of_second) = map(_parameters_of, (one, other))
    if _QUALIFIERS.findall(of_first) != _QUALIFIERS.findall(of_second):
        return True
    return first != second and _CONST.sub("", first) == _CONST.sub("", second)


def _parameters_of(type_: str) -> tuple[str, str]:
    """The types of the parameters, without a `const` of these themselves, and what comes after them."""
    before, _, after = type_.partition(" -> ")[0].rpartition(")")
    parameters = _OUTERMOST.sub("", before.partition("(")[2] + ",")
    return " ".join(parameters.split()), after


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
    """The class of the object that this `owner` is part of; None if unknown."""
    match object_:
        case Pointer(target=target, offset=offset) if _is_exact(target) and offset.is_const:
            if not isinstance(target.element, RecordType):
                return None
            whole = target.element.key
            return whole if _offset_of_base(whole, owner, records) == offset.value else None
        case _:
            return None


def _is_exact(target: MemoryObject) -> bool:
    return target.exact or target.space is MemorySpace.LOCAL
