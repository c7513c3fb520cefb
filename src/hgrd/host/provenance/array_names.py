"""Arrays by their names in the source: variables and members of records.

Flow-insensitive, and one array for all objects of a record type: `s->at[i]` is an element of the array `S::at` in every
function.  An assignment to a pointer makes both sides names of the same array.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Final, TypeAlias

from msgspec import Struct

from hgrd.cuda.types import RECORDS
from hgrd.host.linking.library_names import LIBC_NAMES, of_container
from hgrd.host.linking.link import type_of
from hgrd.program import expressions as ir
from hgrd.program import statements as st
from hgrd.program.program import Function
from hgrd.program.types import OpaqueType, PointerType, RecordType, Type
from hgrd.program.walk import nodes

_LIBRARIES: Final = ("std::", "thrust::", "boost::")


class MemberArray(Struct, frozen=True):
    """A member of all objects of a record type; `record` is the key of the type."""

    record: str
    name: str


class ReturnValue(Struct, frozen=True):
    """The result of a function, or what the result points to; `function` is its key."""

    function: str


Array: TypeAlias = str | MemberArray | ReturnValue
"""A variable by its key, or what it points to."""


def is_pointer(type_: Type) -> bool:
    """Whether values of a type are pointers, references or iterators."""
    match type_:
        case PointerType():
            return True
        case OpaqueType(name=name):
            class_ = name.partition("<")[0]
            return "iter" in class_ or class_.endswith("_ptr")
        case _:
            return False


def own_record(type_: Type | None) -> str | None:
    """The key of a record type that the program itself defines; None for other types."""
    match type_:
        case RecordType(key=name) | OpaqueType(name=name):
            return None if name in RECORDS or name.startswith(_LIBRARIES) else name
        case _:
            return None


class ArrayNames(Struct, frozen=True, dict=True):
    """Names of arrays in a program; `functions` are those with bodies in user code, by key."""

    functions: Mapping[str, Function]

    def at(self, place: ir.Place) -> frozenset[Array]:
        """The innermost array or object that a place is in."""
        match place:
            case ir.VariablePlace(variable=variable):
                return frozenset((variable.key,))
            case ir.FieldPlace(base=base, field=member):
                record = own_record(type_of(base))
                if record is None or not member.name:
                    return self.at(base)
                return frozenset((MemberArray(record, member.name),))
            case ir.AfterPlace(place=inner):
                return self.at(inner)
            case ir.Deref(pointer=pointer):
                return self.targets_of(pointer)
            case ir.TemporaryPlace(value=value) if is_pointer(value.type):
                return self.targets_of(value)
            case _:
                return frozenset()

    def around(self, place: ir.Place) -> frozenset[Array]:
        """All arrays that a place is a part of: the member, its object, the array of such objects."""
        match place:
            case ir.FieldPlace(base=base):
                return self.at(place) | self.around(base)
            case ir.AfterPlace(place=inner):
                return self.around(inner)
            case _:
                return self.at(place)

    def targets_of(self, pointer: ir.Expression) -> frozenset[Array]:
        """The arrays that a pointer or an iterator may lead to, by the expression that computes it."""
        match pointer:
            case ir.AddressOf(place=place) | ir.Load(place=place) | ir.Update(place=place):
                return self.at(place)
            case ir.PointerAdd(pointer=inner) | ir.Convert(operand=inner):
                return self.targets_of(inner)
            case ir.Comma(right=value) | ir.Assign(value=value):
                return self.targets_of(value)
            case ir.Conditional(then=a, otherwise=b):
                return self.targets_of(a) | self.targets_of(b)
            case ir.Call(function=function) if function.key in self.functions:
                return frozenset((ReturnValue(function.key),))
            case ir.Call(function=function, arguments=arguments) if of_container(function.qualified):
                return self._targets_of_all(arguments[:1])
            case ir.Call(function=function, arguments=arguments):
                pointers = [a for a in arguments if is_pointer(a.type)]
                new = not pointers and function.name not in LIBC_NAMES  # what malloc returns has no other name
                return frozenset((ReturnValue(function.key),)) if new else self._targets_of_all(pointers)
            case ir.Construct(arguments=arguments):
                return self._targets_of_all(a for a in arguments if is_pointer(a.type))
            case _:
                return frozenset()

    def _targets_of_all(self, pointers: Iterable[ir.Expression]) -> frozenset[Array]:
        return frozenset[Array]().union(*map(self.targets_of, pointers))

    def all_of(self, arrays: Iterable[Array]) -> frozenset[Array]:
        """The arrays, and all that pointers of these names are set to anywhere."""
        found = set(arrays)
        todo = list(found)
        while todo:
            more = self._other.get(todo.pop(), set[Array]()) - found
            found |= more
            todo += more
        return frozenset(found)

    @cached_property
    def _other(self) -> Mapping[Array, set[Array]]:
        other: dict[Array, set[Array]] = {}
        for key, function in self.functions.items():
            for node in nodes(function.body):
                for array, pointer in self._set_by(node, key):
                    other.setdefault(array, set()).update(self.targets_of(pointer))
        return other

    def _set_by(self, node: object, function: str) -> Iterator[tuple[Array, ir.Expression]]:
        """Names of pointers that a statement or expression of a function sets, each with the new value."""
        match node:
            case st.Declare(variable=variable, initial=initial) if initial is not None and is_pointer(variable.type):
                yield variable.key, initial
            case ir.Assign(place=place, value=value) if is_pointer(value.type):
                yield from ((array, value) for array in self.at(place))
            case st.Return(value=value) if value is not None and is_pointer(value.type):
                yield ReturnValue(function), value
            case ir.Call(function=called, arguments=arguments):
                yield from self._passed(called.key, arguments)
            case ir.Construct(constructor=called, arguments=arguments) if called is not None:
                yield from self._passed(called.key, arguments, 1)
            case _:
                pass

    def _passed(
        self, key: str, arguments: tuple[ir.Expression, ...], first: int = 0
    ) -> Iterator[tuple[Array, ir.Expression]]:
        function = self.functions.get(key)
        parameters = () if function is None else function.parameters[first:]
        for parameter, argument in zip(parameters, arguments, strict=False):
            if is_pointer(parameter.type):
                yield parameter.key, argument
