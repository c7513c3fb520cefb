"""Reach of a launch: the objects that its kernel may use at all, and those that it may store in, by its text.

That is known of kernels that come to memory by what they are given alone: through pointers, also in records, to numbers
and records of numbers, and by the names of variables.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from msgspec import Struct

from hgrd.host.concrete.state.machine import Launched, Machine
from hgrd.host.concrete.state.memory import reachable
from hgrd.host.concrete.state.values import UNKNOWN, Null, Parts, Pointer, Value
from hgrd.host.linking.constant_memory import run_by
from hgrd.program import expressions as ir
from hgrd.program import statements as st
from hgrd.program.expressions import FunctionRef, Storage, Variable
from hgrd.program.program import Function
from hgrd.program.types import OpaqueType, PointerType, RecordType, Type
from hgrd.program.walk import nodes

_ELSEWHERE: Final = ("tex", "surf", "malloc", "free", "cuda", "operator new", "operator delete", "__nv_tex")


class KernelReach(Struct, frozen=True):
    """What a launch may use at all, `stores` what it may store in: objects by their identity.

    `distinct`: each pointer leads to another object, and none of these holds pointers.
    """

    distinct: bool
    uses: frozenset[int]
    stores: frozenset[int]


def reach_of(machine: Machine, kernel: FunctionRef, launched: Launched) -> KernelReach | None:
    """The reach of a launch; None: its kernel may use other memory, too."""
    declared, through = machine.functions.get(kernel.key), machine.mod_sets.of(kernel.key)
    if declared is None or through is None or not _stays(declared, machine):
        return None
    if not all(_is_known(v, p.type) for v, p in zip(launched.given, declared.parameters, strict=False)):
        return None
    stored = reachable(v for i, v in enumerate(launched.given) if i in through)
    named = (*machine.mod_sets.by_name(kernel.key), *machine.mod_sets.passed_on(kernel.key))
    stores = frozenset(map(id, (*stored, *map(machine.object_of, named))))
    read = (machine.object_of(v) for v in _variables(kernel.key, machine))
    return KernelReach(are_distinct(launched), stores | set(map(id, (*reachable(launched.given), *read))), stores)


def _variables(key: str, machine: Machine) -> Iterator[Variable]:
    """The variables in global memory that a kernel names."""
    for function in run_by(key, machine.functions):
        for node in nodes(function.body):
            if isinstance(node, ir.VariablePlace) and node.variable.storage is Storage.DEVICE:
                yield node.variable


def are_distinct(launched: Launched) -> bool:
    """Whether each pointer of a launch leads to another object, and none of these holds pointers."""
    return len(launched.originals) == len(launched.arguments) + len(launched.variables)


def _is_known(value: Value, type_: Type) -> bool:
    """Whether it is known where the pointers in a value lead."""
    match value, type_:
        case Pointer() | Null(), PointerType():
            return True
        case _, PointerType() | OpaqueType():
            return False
        case Parts(cells=cells), RecordType():
            return not any(isinstance(c.type, PointerType) and c.value is UNKNOWN for c in cells.values())
        case _, RecordType():
            return False
        case _:
            return True


def _stays(kernel: Function, machine: Machine) -> bool:
    """Whether a kernel gets pointers by its arguments alone."""
    leads, functions = machine.mod_sets.leads, machine.functions
    given = (t for p in kernel.parameters for t in _pointees(p.type, machine))
    if any(isinstance(t, OpaqueType) or leads(t) for t in given):
        return False
    return not any(_goes_elsewhere(n, machine) for f in run_by(kernel.ref.key, functions) for n in nodes(f.body))


def _pointees(type_: Type, machine: Machine) -> Iterable[Type]:
    """The types that pointers in a parameter lead to."""
    match type_:
        case PointerType(to=to):
            yield to
        case RecordType(key=key) if (record := machine.records.get(key)) is not None:
            for field in record.fields:
                yield from _pointees(field.type, machine)
        case _:
            pass


def _goes_elsewhere(node: object, machine: Machine) -> bool:
    leads = machine.mod_sets.leads
    match node:
        case ir.Launch() | ir.IndirectCall() | ir.New() | ir.Unsupported() | ir.Throw():
            return True
        case st.Assembly() | st.UnsupportedStatement():
            return True
        case ir.Convert(operand=operand, type=PointerType(to=to)):
            return leads(to) or not isinstance(operand.type, PointerType)
        case ir.Call(function=function):
            called = machine.functions.get(function.key)
            return (called is None or called.body is None) and function.name.startswith(_ELSEWHERE)
        case ir.VariablePlace(variable=variable):
            return variable.storage in (Storage.DEVICE, Storage.CONSTANT) and leads(variable.type)
        case _:
            return False
