"""Sources of pointers: what the variables and members of a function may be given in it, whatever the order."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from hgrd.host.linking.library_names import copies_memory
from hgrd.program import expressions as ir
from hgrd.program import statements as st
from hgrd.program.expressions import Variable
from hgrd.program.program import Function
from hgrd.program.types import ArrayType, OpaqueType, PointerType, RecordType, Type
from hgrd.program.walk import nodes

_CAST: Final = "(cast)"
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
Part: TypeAlias = tuple[Variable, tuple[str, ...]]
"""A variable, and the members and elements from there on."""


class PointerSources(Struct):
    """What the variables of a function, and parts of them, may be given in it, whatever the order.

    `parts` are assigned to a part of a variable, or where it leads to; `handed` stand for calls that get its address.
    """

    assigned: dict[Variable, list[ir.Expression]] = field(default_factory=dict[Variable, "list[ir.Expression]"])
    parts: dict[Part, list[ir.Expression]] = field(default_factory=dict[Part, "list[ir.Expression]"])
    handed: dict[Part, set[Root]] = field(default_factory=dict[Part, "set[Root]"])

    @staticmethod
    def of_function(function: Function, quiet: frozenset[str]) -> PointerSources:
        found = PointerSources()
        for number, node in enumerate(nodes(function.body)):
            match node:
                case st.Declare(variable=variable, initial=initial) if initial is not None:
                    found.assigned.setdefault(variable, []).append(initial)
                case ir.Assign(place=place, value=value):
                    part = _part(place)
                    if isinstance(place, ir.VariablePlace):
                        found.assigned.setdefault(place.variable, []).append(value)
                    elif part is not None:
                        found.parts.setdefault(part, []).append(value)
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
            part = _addressed(argument)
            if part is not None and leads(pointee(argument)):
                self.handed.setdefault(part, set()).add(to)

    def of_value(self, e: ir.Expression, seen: frozenset[Part]) -> set[Root]:
        """Where a pointer, or the pointers in a record, may come from."""
        match e:
            case ir.AddressOf(place=ir.VariablePlace(variable=variable)):
                found = self.of_place(ir.VariablePlace(variable, e.span), seen)
                held = self._with_parts(found, seen) - {Root(variable), Root(variable, loose=True)}
                return {Root(variable), *(replace(root, inside=True) for root in held)}
            case ir.Load(place=place) | ir.AddressOf(place=place):
                return self.of_place(place, seen)
            case ir.Convert(operand=inner) if _to(inner) != _to(e):
                return self._with_parts(self.of_value(inner, seen), seen)
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
                given = (self._with_parts(self.of_value(a, seen), seen) for a in arguments if leads(a.type))
                return {Root(f"result {id(e)}", loose=True)} | _loose(given)
            case _:
                return {_ANYWHERE}

    def given(self, e: ir.Expression) -> set[Root]:
        """Where a pointer, or the pointers in a record, and all that they lead to, may come from."""
        if not leads(e.type):
            return set()
        found, inner = self.of_value(e, frozenset()), without_steps(e)
        addressed = isinstance(inner, ir.AddressOf) and isinstance(inner.place, ir.VariablePlace)
        return found if addressed else self._with_parts(found, frozenset())

    def of_place(self, place: ir.Place, seen: frozenset[Part]) -> set[Root]:
        """Where what is at a place may come from, if all of it is used or one of its members is named next."""
        match place:
            case ir.VariablePlace(variable=variable):
                found = self._assigned({Root(variable)}, seen)
                if (variable, ()) in seen:
                    return found
                inside = seen | {(variable, ())}
                whole = (self.of_value(v, inside) for v in self.assigned.get(variable, ()) if leads(v.type))
                return found.union(*whole)
            case ir.FieldPlace(base=base, field=member):
                return self._assigned({root.then(member.name) for root in self.of_place(base, seen)}, seen)
            case ir.Deref(pointer=pointer):
                inner = without_steps(pointer)
                if isinstance(inner, ir.AddressOf) and not _casts(pointer):
                    return self.of_place(inner.place, seen)
                return self._assigned({root.then("*") for root in self.of_value(pointer, seen)}, seen)
            case ir.AfterPlace(place=inner):
                return self.of_place(inner, seen)
            case ir.TemporaryPlace(value=value):
                return self.of_value(value, seen) if leads(value.type) else set()
            case _:
                return {_ANYWHERE}

    def _assigned(self, roots: set[Root], seen: frozenset[Part]) -> set[Root]:
        """These, and where what is assigned to just these parts of variables comes from."""
        parts = {(r.base, r.path) for r in roots if isinstance(r.base, Variable)}
        return roots.union(*(self._put(part, seen) for part in parts))

    def _with_parts(self, roots: set[Root], seen: frozenset[Part]) -> set[Root]:
        """These, and where what is assigned to parts of them comes from; they are used with all that they lead to."""
        bases = {(r.base, r.path) for r in roots if isinstance(r.base, Variable)}
        parts = {p for p in (*self.parts, *self.handed) for v, path in bases if p[0] == v and p[1][: len(path)] == path}
        return _loose((roots, *(self._put(part, seen) for part in parts))) if parts else roots

    def _put(self, part: Part, seen: frozenset[Part]) -> set[Root]:
        """Where what is put into a part of a variable comes from."""
        found = set(self.handed.get(part, ()))
        if part in seen:
            return found
        values = (self.of_value(v, seen | {part}) for v in self.parts.get(part, ()) if leads(v.type))
        return found | _loose(values)


def _loose(found: Iterable[set[Root]]) -> set[Root]:
    return {replace(root, loose=True) for roots in found for root in roots}


def _may_store(called: ir.FunctionRef, quiet: frozenset[str]) -> bool:
    """Whether a call may store pointers in what it is given, other than to memory that it makes."""
    return called.key not in quiet if called.user_code else copies_memory(called.name)


def _part(place: ir.Place) -> Part | None:
    """The part of a variable, or of where it leads to, that a place is; None: that is not known.

    What is behind a pointer that is cast to one to another type is all that the pointer before leads to.
    """
    found = _steps_to(place)
    if found is None:
        return None
    variable, steps = found
    cut = steps.index(_CAST) if _CAST in steps else len(steps)
    return variable, steps[: min(cut, _LONGEST)]


def _steps_to(place: ir.Place) -> Part | None:
    match place:
        case ir.VariablePlace(variable=variable):
            return variable, ()
        case ir.FieldPlace(base=base, field=member):
            return _then(_steps_to(base), member.name)
        case ir.AfterPlace(place=inner):
            return _steps_to(inner)
        case ir.Deref(pointer=pointer):
            inner = without_steps(pointer)
            if not isinstance(inner, ir.AddressOf | ir.Load):
                return None
            found = _steps_to(inner.place)
            found = _then(found, "*") if isinstance(inner, ir.Load) else found
            return _then(found, _CAST) if _casts(pointer) else found
        case _:
            return None


def _then(part: Part | None, step: str) -> Part | None:
    return None if part is None else (part[0], (*part[1], step))


def _casts(pointer: ir.Expression) -> bool:
    """Whether a pointer is converted to one to another type."""
    return _to(pointer) != _to(without_steps(pointer))


def _addressed(e: ir.Expression) -> Part | None:
    """The part of a variable whose address an expression is."""
    inner = without_steps(e)
    return _part(inner.place) if isinstance(inner, ir.AddressOf) else None


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
    """The type of what a pointer leads to, before any conversion; of what is no pointer, its own."""
    return _to(without_steps(e))


def _to(e: ir.Expression) -> Type:
    return e.type.to if isinstance(e.type, PointerType) else e.type
