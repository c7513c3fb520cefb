"""Constructors of the classes of a program, by what they make an object of."""

from __future__ import annotations

from hgrd.program.program import Function
from hgrd.program.types import PointerType, RecordType
from hgrd.symbolic.machine import Machine


def constructors_of(machine: Machine, made: RecordType) -> list[Function]:
    """The program's constructors of a class whose bodies are known."""
    name = f"{made.key}::{_plain(made.key)}"
    return [f for f in machine.functions.values() if f.ref.qualified == name and f.body is not None]


def default_constructor(machine: Machine, made: RecordType) -> Function | None:
    """The program's constructor of a class that takes nothing; None: it is not known."""
    return next((f for f in constructors_of(machine, made) if len(f.parameters) == 1), None)


def copying_constructor(machine: Machine, made: RecordType, *, moves: bool) -> Function | None:
    """The program's constructor of a class from another object of it, or (`moves`) from one that is given away.

    None: the class has none, so that its members are copied.
    """
    source = [PointerType(made, reference=True)]
    of_one = [f for f in constructors_of(machine, made) if [p.type for p in f.parameters[1:]] == source]
    moving = [f for f in of_one if "&&" in f.declared]
    copying = [f for f in of_one if f not in moving]
    return next(iter((moves and moving) or copying), None)


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
