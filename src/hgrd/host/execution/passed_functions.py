"""Functions of the program that are passed as values, by pointer or as functors, and runs of them for their order."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from hgrd.host.execution.library_call import LibraryCall
from hgrd.host.execution.run_state import HostRunState
from hgrd.host.linking.link import record_of
from hgrd.host.provenance.beginnings import ObjectBeginnings
from hgrd.program import expressions as ir
from hgrd.program.program import Function
from hgrd.program.span import Span
from hgrd.program.types import PointerType, RecordType
from hgrd.symbolic.execution.calls import run as run_function
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.memory.lvalues import store
from hgrd.symbolic.state import State
from hgrd.symbolic.values import Composite, FunctionValue, Pointer, Value
from hgrd.terms import const

DEPTH = 6  # calls that lead to one of a function that is passed


class Entering(Struct, frozen=True):
    """The run that enters a function that is passed, where it does so."""

    run: HostRunState
    machine: Machine
    state: State
    span: Span

    def trace(self, function: Function, values: Sequence[Value]) -> bool:
        """Follows a function for the order of its work alone, if it takes so many arguments; whether it does."""
        run, machine, state = self.run, self.machine, self.state.copy()
        if len(values) != len(function.parameters) or len(machine.frames) > DEPTH:
            return False
        given = [_passed(machine, state, p, v, self.span) for p, v in zip(function.parameters, values, strict=True)]
        outer = run.provenance.beginnings, run.launches.only_traced
        escaped, run.escapes.written_by_callbacks = run.escapes.written_by_callbacks, {}
        run.provenance.beginnings, run.launches.only_traced = ObjectBeginnings(whole=False), True
        try:
            run_function(machine, state, function, tuple(given), self.span)
        finally:
            run.provenance.beginnings, run.launches.only_traced = outer
            run.escapes.written_by_callbacks = escaped
        return True


def _passed(machine: Machine, state: State, parameter: ir.Variable, value: Value, span: Span) -> Value:
    """A value as an argument: the address of a copy of it, where the function takes that."""
    type_ = parameter.type
    if not isinstance(type_, PointerType) or not (type_.reference or isinstance(value, Composite)):
        return value
    here = Pointer(machine.temporary("held", type_.to, span), const(0))
    store(machine, state, here, value, type_.to, span)
    return here


def passed_function(
    call: LibraryCall, index: int, *, launching: bool = True
) -> tuple[Function, Sequence[Value]] | None:
    """The function that an argument is, and the object that it belongs to, if it is a lambda or functor.

    `launching`: only one that launches kernels.
    """
    linked = call.run.linked
    given = call.arguments[index] if index < len(call.arguments) else None
    type_ = call.type_of(index)
    method = _method(call.call.arguments[index]) if index < len(call.call.arguments) else None
    match given:
        case FunctionValue(function=function):
            keys, first = (function.key,), tuple[Value, ...]()
        case _ if method is not None:
            keys, first = (method.key,), ()
        case Pointer() | Composite():
            keys = linked.operators.get(record_of(type_) or "", ()) if type_ is not None else ()
            first = (_object(call, given, type_),) if isinstance(type_, RecordType | PointerType) else ()
        case _:
            return None
    found = linked.functions.get(keys[0]) if len(keys) == 1 else None
    if found is None or found.body is None or (launching and not linked.launches_below(found.ref.key)):
        return None
    return found, first


def _method(expression: ir.Expression) -> ir.FunctionRef | None:
    """The method that a pointer to a member is to, as it is written: `&Class::method`."""
    match expression:
        case ir.AddressOf(place=ir.TemporaryPlace(value=value)) | ir.Convert(operand=value):
            return _method(value)
        case ir.Unsupported(reason="pointer to member", operands=(ir.FunctionAddress(function=function),)):
            return function
        case _:
            return None


def _object(call: LibraryCall, given: Pointer | Composite, type_: RecordType | PointerType) -> Value:
    """The address of a functor."""
    if isinstance(given, Pointer) or isinstance(type_, PointerType):
        return given
    here = Pointer(call.machine.temporary("thread", type_, call.span), const(0))
    store(call.machine, call.state, here, given, type_, call.span)
    return here
