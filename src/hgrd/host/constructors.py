"""Objects that constructors without a body make: copies, `dim3`, and records of unknown contents."""

from __future__ import annotations

from hgrd.host.library.launch_functions import made_dim3
from hgrd.host.memory.unknowns import unknown
from hgrd.program import expressions as ir
from hgrd.program.types import RecordType, Type
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.memory.lvalues import load
from hgrd.symbolic.state import State
from hgrd.symbolic.values import Composite, MemorySpace, Pointer, Value


def constructed(machine: Machine, state: State, call: ir.Call, arguments: tuple[Value, ...]) -> Value | None:
    """The object made by a constructor without a body, if it is dim3's or copies; None: unknown."""
    type_ = constructed_type(arguments)
    source = arguments[1] if len(arguments) > 1 else None
    if type_ is None:
        return None
    if call.function.name == "dim3" and not isinstance(source, Pointer | Composite):
        return made_dim3(arguments[1:])
    if isinstance(source, Composite):
        return source
    if len(arguments) == 2 and isinstance(source, Pointer) and source.target.element == type_:
        copied = load(machine, state, source, type_, call.span)
        return copied if isinstance(copied, Composite) else None
    return None


def new_object(machine: Machine, call: ir.Call, arguments: tuple[Value, ...]) -> Value | None:
    """The object of unknown contents that a constructor made; None: the call is no such constructor."""
    type_ = constructed_type(arguments)
    made = unknown(machine, call.function.name, type_, call.span) if isinstance(type_, RecordType) else None
    return made if isinstance(made, Composite) else None


def constructed_type(arguments: tuple[Value, ...]) -> Type | None:
    """The type of the new object that a constructor is called for; None: the call makes no new object."""
    here = arguments[0] if arguments else None
    if not isinstance(here, Pointer) or here.target.name != "object" or here.target.space is not MemorySpace.LOCAL:
        return None
    return here.target.element
