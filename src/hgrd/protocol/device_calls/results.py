"""Results of device functions of which only the type is known."""

from __future__ import annotations

from hgrd.program.expressions import Call
from hgrd.program.layout import scalars
from hgrd.program.types import RecordType, VoidType
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.values import OPAQUE, Cell, Composite, Value
from hgrd.terms import Origin


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
