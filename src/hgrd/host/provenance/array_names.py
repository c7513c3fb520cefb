"""Arrays by the names that the program has for them: variables, and members of records, wherever these are.

Whatever the order in which the program runs, and of all objects of a record at once: `s->at[i]` is an element of the
array `S::at` in whichever function it stands.  What a pointer is set to is another name of what it leads to.
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


class Member(Struct, frozen=True):
    record: str
    name: str


class Returned(Struct, frozen=True):
    """What a function returns, or what its result points to."""

    function: str


Array: TypeAlias = str | Member | Returned
"""A variable by its key, or what it points to."""


def leads(type_: Type) -> bool:
    """Whether a value is a pointer, a reference or an iterator."""
    match type_:
        case PointerType():
            return True
        case OpaqueType(name=name):
            class_ = name.partition("<")[0]
            return "iter" in class_ or class_.endswith("_ptr")
        case _:
            return False


def own_record(type_: Type | None) -> str | None:
    """The key of the record of the program's own that a type is."""
    match type_:
        case RecordType(key=name) | OpaqueType(name=name):
            return None if name in RECORDS or name.startswith(_LIBRARIES) else name
        case _:
            return None


class Names(Struct, frozen=True, dict=True):
    """The functions are those with bodies that count."""

    functions: Mapping[str, Function]

    def at(self, place: ir.Place) -> frozenset[Array]:
        """The innermost array or object that a place is in."""
        match place:
            case ir.VariablePlace(variable=variable):
                return frozenset((variable.key,))
            case ir.FieldPlace(base=base, field=member):
                record = own_record(type_of(base))
                return self.at(base) if record is None or not member.name else frozenset((Member(record, member.name),))
            case ir.AfterPlace(place=inner):
                return self.at(inner)
            case ir.Deref(pointer=pointer):
                return self.behind(pointer)
            case ir.TemporaryPlace(value=value) if leads(value.type):
                return self.behind(value)
            case _:
                return frozenset()

    def around(self, place: ir.Place) -> frozenset[Array]:
        """All of which a place is a part: the member, the record that it is a member of, the array which that is in."""
        match place:
            case ir.FieldPlace(base=base):
                return self.at(place) | self.around(base)
            case ir.AfterPlace(place=inner):
                return self.around(inner)
            case _:
                return self.at(place)

    def behind(self, pointer: ir.Expression) -> frozenset[Array]:
        """What a pointer or an iterator leads to, in the words of where it comes from."""
        match pointer:
            case ir.AddressOf(place=place) | ir.Load(place=place) | ir.Update(place=place):
                return self.at(place)
            case ir.PointerAdd(pointer=inner) | ir.Convert(operand=inner):
                return self.behind(inner)
            case ir.Comma(right=value) | ir.Assign(value=value):
                return self.behind(value)
            case ir.Conditional(then=a, otherwise=b):
                return self.behind(a) | self.behind(b)
            case ir.Call(function=function) if function.key in self.functions:
                return frozenset((Returned(function.key),))
            case ir.Call(function=function, arguments=arguments) if of_container(function.qualified):
                return self._behind_all(arguments[:1])
            case ir.Call(function=function, arguments=arguments):
                pointers = [a for a in arguments if leads(a.type)]
                new = not pointers and function.name not in LIBC_NAMES  # but not allocated
                return frozenset((Returned(function.key),)) if new else self._behind_all(pointers)
            case ir.Construct(arguments=arguments):
                return self._behind_all(a for a in arguments if leads(a.type))
            case _:
                return frozenset()

    def _behind_all(self, pointers: Iterable[ir.Expression]) -> frozenset[Array]:
        return frozenset[Array]().union(*map(self.behind, pointers))

    def all_of(self, arrays: Iterable[Array]) -> frozenset[Array]:
        """With all that their pointers are set to somewhere."""
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
                    other.setdefault(array, set()).update(self.behind(pointer))
        return other

    def _set_by(self, node: object, function: str) -> Iterator[tuple[Array, ir.Expression]]:
        """Pointers that a statement or expression of a function sets, and to what."""
        match node:
            case st.Declare(variable=variable, initial=initial) if initial is not None and leads(variable.type):
                yield variable.key, initial
            case ir.Assign(place=place, value=value) if leads(value.type):
                yield from ((array, value) for array in self.at(place))
            case st.Return(value=value) if value is not None and leads(value.type):
                yield Returned(function), value
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
            if leads(parameter.type):
                yield parameter.key, argument
