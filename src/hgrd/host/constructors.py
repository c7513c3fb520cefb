"""Objects that constructors without a body make: copies, `dim3`, pairs, and records of unknown contents."""

from __future__ import annotations

from hgrd.host.library.launch_functions import made_dim3
from hgrd.host.memory.unknowns import unknown
from hgrd.program import expressions as ir
from hgrd.program.program import Function
from hgrd.program.types import PointerType, RecordType
from hgrd.symbolic.execution.construction import construct_each
from hgrd.symbolic.execution.constructors import construct_by, constructed_type, members_made
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.memory.lvalues import load
from hgrd.symbolic.state import State
from hgrd.symbolic.values import Cell, Composite, Pointer, Value
from hgrd.terms import const


def constructed(machine: Machine, state: State, call: ir.Call, arguments: tuple[Value, ...]) -> Value | None:
    """The object made by a constructor without a body, if it is dim3's, copies, or makes a pair; None: unknown."""
    type_ = constructed_type(arguments)
    source = arguments[1] if len(arguments) > 1 else None
    if type_ is None:
        return None
    if call.function.name == "dim3" and not isinstance(source, Pointer | Composite):
        return made_dim3(arguments[1:])
    if isinstance(source, Composite):
        return source
    members = members_made(machine, arguments)
    if members:
        return _made_by_members(machine, state, call, members)
    if len(arguments) == 2 and isinstance(source, Pointer) and source.target.element == type_:
        copied = load(machine, state, source, type_, call.span)
        return copied if isinstance(copied, Composite) else None
    return None


def _made_by_members(machine: Machine, state: State, call: ir.Call, members: dict[int, Function]) -> Composite:
    cells: dict[int, Cell] = {}
    for at, constructor in members.items():
        class_ = constructor.parameters[0].type
        assert isinstance(class_, PointerType)
        here = Pointer(machine.temporary("member", class_.to, call.span), const(0))
        construct_each(machine, state, construct_by(constructor, class_.to, call.span), here, const(1))
        made = load(machine, state, here, class_.to, call.span)
        if isinstance(made, Composite):
            cells |= {at + offset: cell for offset, cell in made.cells.items()}
    return Composite(cells, max((at + c.size for at, c in cells.items()), default=1))


def new_object(machine: Machine, call: ir.Call, arguments: tuple[Value, ...]) -> Value | None:
    """The object of unknown contents that a constructor made; None: the call is no such constructor."""
    type_ = constructed_type(arguments)
    made = unknown(machine, call.function.name, type_, call.span) if isinstance(type_, RecordType) else None
    return made if isinstance(made, Composite) else None
