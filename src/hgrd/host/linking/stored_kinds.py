"""Kinds of the numbers that a kernel stores through pointers: it reaches no objects of other kinds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, TypeAlias

from hgrd.host.linking.pointer_sources import without_steps
from hgrd.program import expressions as ir
from hgrd.program import statements as st
from hgrd.program.program import Function
from hgrd.program.types import POINTER_SIZE, FloatType, IntType, PointerType, Type
from hgrd.program.walk import nodes

Kind: TypeAlias = tuple[str, int]
"""A kind of number, and its size."""
_CHARACTER: Final = 8


def kinds_stored(bodies: Iterable[Function], functions: Mapping[str, Function]) -> frozenset[Kind] | None:
    """What kinds of numbers functions store through pointers; None: that is not known."""
    found = [kind for function in bodies for node in nodes(function.body) for kind in _stored(node, functions)]
    return None if None in found else frozenset(kind for kind in found if kind is not None)


NUMBERS: Final = frozenset(
    (*(("integer", bits) for bits in (16, 32, 64, 128)), *(("float", bits) for bits in (16, 32, 64)))
)
"""What bytes may be that are copied, written to a file, or read from one."""


def kind_of(type_: Type) -> Kind | None:
    """What tells objects apart that no access of another kind may reach; None: any (C++ [basic.lval])."""
    match type_:
        case IntType(bits=bits) if bits > _CHARACTER:
            return "integer", bits
        case FloatType(bits=bits):
            return "float", bits
        case PointerType():
            return "pointer", POINTER_SIZE
        case _:
            return None


def _stored(node: object, functions: Mapping[str, Function]) -> Iterator[Kind | None]:
    match node:
        case ir.Assign(place=place) | ir.Update(place=place):
            if not _is_own(place):
                yield _kind_at(place)
        case ir.Call(function=called, arguments=arguments):
            function = functions.get(called.key)
            if function is None or function.body is None:
                yield from (kind_of(a.type.to) for a in arguments if isinstance(a.type, PointerType))
        case ir.Construct(constructor=constructor) if constructor is not None and constructor.key not in functions:
            yield None
        case ir.IndirectCall() | ir.Launch() | ir.Unsupported() | st.UnsupportedStatement() | st.Assembly():
            yield None
        case _:
            pass


def _kind_at(place: ir.Place) -> Kind | None:
    match place:
        case ir.Deref(type=type_):
            return kind_of(type_)
        case ir.FieldPlace(field=member):
            return kind_of(member.type) if member.bits is None else None
        case ir.AfterPlace(place=inner):
            return _kind_at(inner)
        case _:
            return None


def _is_own(place: ir.Place) -> bool:
    """Whether a place is a part of a local variable."""
    match place:
        case ir.VariablePlace(variable=variable):
            return variable.storage in (ir.Storage.LOCAL, ir.Storage.PARAMETER)
        case ir.FieldPlace(base=base) | ir.AfterPlace(place=base):
            return _is_own(base)
        case ir.Deref(pointer=pointer):
            inner = without_steps(pointer)
            return isinstance(inner, ir.AddressOf) and _is_own(inner.place)
        case _:
            return False
