"""Constructors of the classes of a program, by what they make an object of."""

from __future__ import annotations

from msgspec.structs import replace

from hgrd.program.expressions import Construct, Load, VariablePlace
from hgrd.program.program import Function
from hgrd.program.span import Span
from hgrd.program.types import OpaqueType, PointerType, RecordType, Type
from hgrd.symbolic.execution.calls import may_enter
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.values import MemorySpace, Pointer, Value


def constructors_of(machine: Machine, made: RecordType) -> list[Function]:
    """The program's constructors of a class whose bodies are known."""
    name = f"{made.key}::{_plain(made.key)}"
    return [f for f in machine.functions.values() if f.ref.qualified == name and f.body is not None]


def default_constructor(machine: Machine, made: RecordType) -> Function | None:
    """The program's constructor of a class that can be called with nothing; None: it is not known."""
    return next((f for f in constructors_of(machine, made) if len(f.parameters) == 1 + f.defaults), None)


def construct_by(function: Function, made: Type, span: Span) -> Construct:
    """The construction of an object by a constructor, whose arguments, if it takes any, are not known."""
    given = (replace(p, key=f"{p.key} by default") for p in function.parameters[1:])
    return Construct(function.ref, tuple(Load(VariablePlace(p, span), p.type, span) for p in given), made, span)


def copying_constructor(machine: Machine, made: RecordType, *, moves: bool) -> Function | None:
    """The program's constructor of a class from another object of it, or (`moves`) from one that is given away.

    None: the class has none, so that its members are copied.
    """
    source = [PointerType(made, reference=True)]
    of_one = [f for f in constructors_of(machine, made) if [p.type for p in f.parameters[1:]] == source]
    moving = [f for f in of_one if "&&" in f.declared]
    copying = [f for f in of_one if f not in moving]
    return next(iter((moves and moving) or copying), None)


def constructed_type(arguments: tuple[Value, ...]) -> Type | None:
    """The type of the new object that a constructor is called for; None: the call makes no new object."""
    here = arguments[0] if arguments else None
    if not isinstance(here, Pointer) or here.target.name != "object" or here.target.space is not MemorySpace.LOCAL:
        return None
    return here.target.element


def members_made(machine: Machine, arguments: tuple[Value, ...]) -> dict[int, Function]:
    """The default constructors that make the members of a new `std::pair`, by where these begin in it."""
    type_ = constructed_type(arguments)
    record = machine.records.get(type_.name) if isinstance(type_, OpaqueType) else None
    if len(arguments) != 1 or record is None or not record.name.startswith("std::pair<"):
        return {}
    classes = {f.offset: f.type for f in record.fields if isinstance(f.type, RecordType)}
    made = {at: default_constructor(machine, class_) for at, class_ in classes.items()}
    return {at: f for at, f in made.items() if f is not None and may_enter(machine, f, ())}


def _plain(class_: str) -> str:
    """The name of a class without its namespace and the arguments of its template."""
    depth, end = 0, len(class_)
    for at in range(len(class_) - 1, -1, -1):
        if class_[at] == ">":
            depth += 1
        elif class_[at] == "<":
            depth -= 1
            end = at if depth == 0 else end
        elif depth == 0 and class_[at] == ":":
            return class_[at + 1 : end]
    return class_[:end]
