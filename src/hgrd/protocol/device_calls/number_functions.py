"""Functions of numbers: equal arguments give equal results, also those that are stored where arguments point to.

Of the results of other functions only the type is known.

CUDA Math API.
"""

from __future__ import annotations

from msgspec.structs import replace

from hgrd.cuda.builtins import builtin
from hgrd.cuda.types import SMALL_FLOATS
from hgrd.program.expressions import Call
from hgrd.program.layout import scalars
from hgrd.program.types import BoolType, FloatType, IntType, PointerType, RecordType, Type, VoidType
from hgrd.protocol.inference.semantics import DeviceSemantics
from hgrd.protocol.inference.value_names import identity_of
from hgrd.symbolic.floats import computed
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.memory.lvalues import load, store
from hgrd.symbolic.state import State
from hgrd.symbolic.values import OPAQUE, Cell, Composite, FloatValue, Value
from hgrd.terms import Origin, Term, as_bool
from hgrd.terms.build import read_between
from hgrd.terms.interval import ANY, of_type


def numbers(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]
) -> Value | None:
    """Result of a function that stores further results: `sincos(x, &s, &c)`; None where the call is of another form."""
    row = builtin(call.function.name)
    if row is None or len(arguments) <= max(row.writes):
        return None
    given = tuple(a for at, a in enumerate(arguments) if at not in row.writes)
    for at in row.writes:
        type_ = call.arguments[at].type
        if not isinstance(type_, PointerType):
            return None
        name = f"{call.function.name}.{at}"
        stored = function_value(name, type_.to, given) or machine.unknown(name, type_.to, Origin.DATA)
        store(machine, state, arguments[at], stored, type_.to, call.span)
    if isinstance(call.type, VoidType):
        return OPAQUE
    name = call.function.name
    return function_value(name, call.type, given) or machine.unknown(name, call.type, Origin.DATA)


def number_in_memory(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]
) -> Value | None:
    """Result of an operator of a small float wherever that is: a conversion reads it, an assignment replaces it too."""
    owner, _, name = call.function.qualified.rpartition("::")
    type_ = call.arguments[0].type if call.arguments else None
    if owner not in SMALL_FLOATS or not name.startswith("operator") or not isinstance(type_, PointerType):
        return None
    read = load(machine, state, arguments[0], type_.to, call.span)
    if name.startswith("operator "):
        return function_value(name, call.type, (read,)) or unknown_result(machine, call)
    stored = unknown_result(machine, replace(call, type=type_.to))
    store(machine, state, arguments[0], stored, type_.to, call.span)
    return arguments[0] if isinstance(call.type, PointerType) else read


def function_value(name: str, type_: Type, arguments: tuple[Value, ...]) -> Value | None:
    """Value of this type that is a function of numbers; None where the arguments or the result are something else."""
    known = identities(arguments)
    if known is None:
        return None
    match type_:
        case FloatType():
            return FloatValue(read_between(computed(name, type_), known, *ANY))
        case IntType(bits=bits, signed=signed):
            row = builtin(name)
            bounds = of_type(bits, signed) if row is None or row.result is None else row.result
            return read_between(f"{name}()", known, *bounds)
        case BoolType():
            return as_bool(read_between(f"{name}()", known, 0, 1))
        case _:
            return None


def identities(arguments: tuple[Value, ...]) -> tuple[Term, ...] | None:
    """What tells the arguments apart; None where there are none, or one has no identity."""
    keys = [identity_of(a) for a in arguments]
    known = tuple(k for k in keys if k is not None)
    return known if known and len(known) == len(keys) else None


def unknown_result(machine: Machine, call: Call) -> Value:
    """Unknown result; that of a record by its members."""
    name = f"{call.function.name}()"
    match call.type:
        case VoidType():
            return OPAQUE
        case RecordType():
            cells = {
                at: Cell(machine.unknown(name, t, Origin.DATA), machine.size(t) or 1)
                for at, t in scalars(call.type, machine.records, 64)
            }
            return Composite(cells, machine.size(call.type) or 0)
        case _:
            return machine.unknown(name, call.type, Origin.DATA)
