"""Sources of pointers: what the variables and members of a function may be given in it, whatever the order."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from hgrd.host.linking.library_names import copies_memory
from hgrd.program import expressions as ir
from hgrd.program import statements as st
from hgrd.program.expressions import Variable
from hgrd.program.program import Function
from hgrd.program.types import ArrayType, OpaqueType, PointerType, RecordType, Type
from hgrd.program.walk import nodes

_LONGEST: Final = 4  # steps of a path; what a longer one leads to is taken to be all that begins like it


class Root(Struct, frozen=True):
    """Where a pointer comes from: a variable, a call or (None) anywhere, and the members and elements from there on.

    `loose`: it may be any of those further on, too.  `inside`: not the pointer itself, but what it leads to holds one
    that comes from there.
    """

    base: Variable | str | None
    path: tuple[str, ...] = ()
    loose: bool = False
    inside: bool = False

    def then(self, step: str) -> Root:
        return self if self.loose or len(self.path) >= _LONGEST else Root(self.base, (*self.path, step))

    def meets(self, other: Root) -> bool:
        """Whether one of two pointers may lead to what the other is."""
        common = min(len(self.path), len(other.path))
        return self.base == other.base and self.path[:common] == other.path[:common]


_ANYWHERE: Final = Root(None)


class PointerSources(Struct):
    """What the variables of a function may be given in it, whatever the order.

    `parts` are assigned to a part of a variable, or where it leads to; `handed` stand for calls that get its address.
    """

    assigned: dict[Variable, list[ir.Expression]] = field(default_factory=dict[Variable, "list[ir.Expression]"])
    parts: dict[Variable, list[ir.Expression]] = field(default_factory=dict[Variable, "list[ir.Expression]"])
    handed: dict[Variable, set[Root]] = field(default_factory=dict[Variable, "set[Root]"])

    @staticmethod
    def of_function(function: Function, quiet: frozenset[str]) -> PointerSources:
        found = PointerSources()
        for number, node in enumerate(nodes(function.body)):
            match node:
                case st.Declare(variable=variable, initial=initial) if initial is not None:
                    found.assigned.setdefault(variable, []).append(initial)
                case ir.Assign(place=place, value=value):
                    variable = _variable(place)
                    table = found.assigned if isinstance(place, ir.VariablePlace) else found.parts
                    if variable is not None:
                        table.setdefault(variable, []).append(value)
                case ir.Call(function=called, arguments=arguments) if _may_store(called, quiet):
                    found.hand_over(arguments, Root(f"call {number}", loose=True))
                case ir.Construct(constructor=called, arguments=arguments) if called and _may_store(called, quiet):
                    found.hand_over(arguments, Root(f"call {number}", loose=True))
                case ir.IndirectCall(arguments=arguments):
                    found.hand_over(arguments, Root(f"call {number}", loose=True))
                case _:
                    pass
        return found

    def hand_over(self, arguments: Iterable[ir.Expression], to: Root) -> None:
        """A call gets the addresses of variables: it may give them what it likes."""
        for argument in arguments:
            variable = _addressed(argument)
            if variable is not None and leads(pointee(argument)):
                self.handed.setdefault(variable, set()).add(to)

    def given(self, e: ir.Expression) -> set[Root]:
        return self.of_value(e, frozenset()) if leads(e.type) else set()

    def of_value(self, e: ir.Expression, seen: frozenset[Variable]) -> set[Root]:
        """Where a pointer, or the pointers in a record, may come from."""
        match e:
            case ir.AddressOf(place=ir.VariablePlace(variable=variable)):
                held = self.of_place(ir.VariablePlace(variable, e.span), seen) - {Root(variable)}
                return {Root(variable), *(replace(root, inside=True) for root in held)}
            case ir.Load(place=place) | ir.AddressOf(place=place):
                return self.of_place(place, seen)
            case ir.PointerAdd(pointer=inner) | ir.Convert(operand=inner) | ir.Comma(right=inner):
                return self.of_value(inner, seen)
            case ir.Assign(place=place, value=value):
                return self.of_place(place, seen) | self.of_value(value, seen)
            case ir.Update(place=place):
                return self.of_place(place, seen)
            case ir.Conditional(then=a, otherwise=b):
                return self.of_value(a, seen) | self.of_value(b, seen)
            case ir.Aggregate(parts=parts):
                return _loose(self.of_value(v, seen) for _, v in parts if leads(v.type))
            case (
                ir.NullPointer()
                | ir.StringConst()
                | ir.FunctionAddress()
                | ir.IntConst()
                | ir.Construct(constructor=None)
            ):
                return set()
            case ir.Call(arguments=arguments) | ir.Construct(arguments=arguments):
                given = (self.of_value(a, seen) for a in arguments if leads(a.type))
                return {Root(f"result {id(e)}", loose=True)} | _loose(given)
            case _:
                return {_ANYWHERE}

    def of_place(self, place: ir.Place, seen: frozenset[Variable]) -> set[Root]:
        match place:
            case ir.VariablePlace(variable=variable):
                found = {Root(variable)} | self.handed.get(variable, set())
                if variable in seen:
                    return found
                whole, parts = self.assigned.get(variable, ()), self.parts.get(variable, ())
                inside = seen | {variable}
                found = found.union(*(self.of_value(v, inside) for v in whole if leads(v.type)))
                return found | _loose(self.of_value(v, inside) for v in parts if leads(v.type))
            case ir.FieldPlace(base=base, field=member):
                return {root.then(member.name) for root in self.of_place(base, seen)}
            case ir.Deref(pointer=pointer):
                return {root.then("*") for root in self.of_value(pointer, seen)}
            case ir.AfterPlace(place=inner):
                return self.of_place(inner, seen)
            case ir.TemporaryPlace(value=value):
                return self.of_value(value, seen) if leads(value.type) else set()
            case _:
                return {_ANYWHERE}


def _loose(found: Iterable[set[Root]]) -> set[Root]:
    return {replace(root, loose=True) for roots in found for root in roots}


def _may_store(called: ir.FunctionRef, quiet: frozenset[str]) -> bool:
    """Whether a call may store pointers in what it is given, other than to memory that it makes."""
    return called.key not in quiet if called.user_code else copies_memory(called.name)


def _variable(place: ir.Place) -> Variable | None:
    """The variable that a place is a part of, or that leads there."""
    match place:
        case ir.VariablePlace(variable=variable):
            return variable
        case ir.FieldPlace(base=base) | ir.AfterPlace(place=base):
            return _variable(base)
        case ir.Deref(pointer=pointer):
            inner = without_steps(pointer)
            return _variable(inner.place) if isinstance(inner, ir.AddressOf | ir.Load) else None
        case _:
            return None


def _addressed(e: ir.Expression) -> Variable | None:
    """The variable whose address an expression is, or that of a part of it."""
    inner = without_steps(e)
    return _variable(inner.place) if isinstance(inner, ir.AddressOf) else None


def without_steps(pointer: ir.Expression) -> ir.Expression:
    """A pointer without what is added to it and its conversions."""
    while isinstance(pointer, ir.PointerAdd | ir.Convert):
        pointer = pointer.pointer if isinstance(pointer, ir.PointerAdd) else pointer.operand
    return pointer


def leads(type_: Type) -> bool:
    """Whether a value of a type may be, or hold, a pointer."""
    match type_:
        case PointerType() | RecordType() | OpaqueType():
            return True
        case ArrayType(of=of):
            return leads(of)
        case _:
            return False


def pointee(e: ir.Expression) -> Type:
    inner = without_steps(e).type
    return inner.to if isinstance(inner, PointerType) else inner
