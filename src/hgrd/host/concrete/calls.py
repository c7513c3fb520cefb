"""Calls of the concrete run: by the body, by a model, or else what they may have changed is not known."""

from __future__ import annotations

from hgrd.host.concrete.library.call import LibraryCall, Model
from hgrd.host.concrete.library.containers import LOOKING
from hgrd.host.concrete.library.launching import LAUNCHING
from hgrd.host.concrete.library.models import model_of
from hgrd.host.concrete.library.streams import CALLING
from hgrd.host.concrete.state.machine import MOST_FRAMES, EndedError, Frame, Machine
from hgrd.host.concrete.state.memory import forget_reachable, store, width_of
from hgrd.host.concrete.state.values import UNKNOWN, Callee, Object, Pointer, StoppedError, Value
from hgrd.host.concrete.statements import Returned, execute
from hgrd.program.expressions import FunctionRef
from hgrd.program.openmp import PREFIX
from hgrd.program.program import Function
from hgrd.program.sentinels import THROWN
from hgrd.program.span import Span
from hgrd.program.types import OpaqueType, PointerType, RecordType, Type

_DESTROYING_NOTHING = (
    *LOOKING, "push_back", "emplace_back", "reserve", "operator->", "operator*", "make_unique", "make_shared",
    "unique_ptr", "shared_ptr", "move", "forward",
)  # fmt: skip


def call(
    machine: Machine,
    function: FunctionRef,
    arguments: tuple[Value, ...],
    types: tuple[Type, ...],
    returns: Type,
    span: Span,
) -> Value:
    """The value of a call."""
    declared = machine.functions.get(function.key)
    if function == THROWN or function.name.startswith(PREFIX):
        raise StoppedError
    has_body = declared is not None and declared.body is not None and function.user_code
    runs_it = not function.user_code and (function.name in CALLING or function.name in LAUNCHING)
    if not (has_body or runs_it) and any(_may_run(machine, a, t) for a, t in zip(arguments, types, strict=True)):
        raise StoppedError
    if not function.user_code:
        _may_destroy(machine, function, types)
        model = _model(machine, function)
        value = None if model is None else model(LibraryCall(machine, function, arguments, types, returns, span))
        if value is not None:
            return value
    if declared is not None and declared.body is not None:
        return _run(machine, declared, arguments, span)
    if declared is not None and declared.noreturn:
        raise EndedError
    if function.user_code or any(_leads_anywhere(a, t) for a, t in zip(arguments, types, strict=True)):
        raise StoppedError
    forget_reachable(arguments)
    if machine.queue is not None and not function.qualified.startswith("std::"):
        machine.queue.wait_for_all()  # it may be a library's function that waits for the device
    return UNKNOWN


def _model(machine: Machine, function: FunctionRef) -> Model | None:
    """The model of a library function, which is looked up once for each function that a part of the program names."""
    known = machine.models.get(id(function))
    if known is None:
        known = machine.models[id(function)] = function, model_of(function)
    return known[1]


def _may_run(machine: Machine, argument: Value, type_: Type) -> bool:
    """Whether a function may call code of the program by what it is given."""
    if isinstance(argument, int | float):
        return False
    type_ = type_.to if isinstance(type_, PointerType) else type_
    if isinstance(type_, RecordType) and type_.key in machine.functors:
        return True
    held = argument.target.cells.values() if isinstance(argument, Pointer) else ()
    return isinstance(argument, Callee) or any(isinstance(c.value, Callee) for c in held)


def _may_destroy(machine: Machine, function: FunctionRef, types: tuple[Type, ...]) -> None:
    """A function of the library may destroy what objects that it is given hold, and wait for work meanwhile."""
    if machine.queue is not None and machine.queue.waiting is not None and function.name not in _DESTROYING_NOTHING:
        for type_ in types:
            machine.queue.may_destroy(type_, machine.records)


def _leads_anywhere(argument: Value, type_: Type) -> bool:
    """Whether a function may store through a pointer of which it is not known where it leads."""
    match type_:
        case PointerType(to=OpaqueType() | RecordType()) | PointerType(reference=True):
            return False
        case PointerType():
            return argument is UNKNOWN
        case _:
            return False


def _run(machine: Machine, function: Function, arguments: tuple[Value, ...], span: Span) -> Value:
    if len(machine.frames) >= MOST_FRAMES or function.body is None:
        raise StoppedError
    frame = Frame(function.ref, span)
    for parameter, argument in zip(function.parameters, arguments, strict=False):
        made = Object(parameter.name, width_of(parameter.type, machine.records))
        store(Pointer(made, 0), argument, parameter.type, machine.records, parameter.span)
        frame.variables[parameter.key] = made
    machine.frames.append(frame)
    left = execute(machine, function.body)
    machine.frames.pop()
    for made in frame.variables.values():
        made.moved = True
    return left.value if isinstance(left, Returned) else UNKNOWN
