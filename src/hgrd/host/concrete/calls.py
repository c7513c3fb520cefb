"""Calls of the concrete run: by the body, by a model, or else what they may have changed is not known."""

from __future__ import annotations

import re
from collections.abc import Callable

from hgrd.host.concrete.library.call import LibraryCall
from hgrd.host.concrete.library.cpp.containers import LOOKING, element_model
from hgrd.host.concrete.library.cpp.elements import OWNERS, looked_up
from hgrd.host.concrete.library.cpp.given_code import given_code_model
from hgrd.host.concrete.library.cpp.threads import is_thread
from hgrd.host.concrete.library.cpp.wrappers import FUNCTION
from hgrd.host.concrete.library.cuda.launching import LAUNCHING
from hgrd.host.concrete.library.cuda.streams import CALLING
from hgrd.host.concrete.models import model_of
from hgrd.host.concrete.places import stop
from hgrd.host.concrete.state.machine import MOST_FRAMES, EndedError, Frame, Machine
from hgrd.host.concrete.state.memory import forget_reachable, store, width_of, within
from hgrd.host.concrete.state.values import UNKNOWN, Callee, Cell, Object, Pointer, StoppedError, Value
from hgrd.host.concrete.statements import Execution, Returned, cost_of, execution
from hgrd.host.concurrency.unseen_destructors import OWNING, gives_back
from hgrd.program.expressions import FunctionRef, Variable
from hgrd.program.openmp import PREFIX
from hgrd.program.program import Function
from hgrd.program.sentinels import THROWN
from hgrd.program.span import Span
from hgrd.program.statements import Block
from hgrd.program.types import ArrayType, BoolType, FloatType, IntType, OpaqueType, PointerType, RecordType, Type

_DESTROYING_NOTHING = (
    *LOOKING, "push_back", "emplace_back", "reserve", "operator->", "operator*", "make_unique", "make_shared",
    "unique_ptr", "shared_ptr", "move", "forward",
)  # fmt: skip
_KEEPING = (*LOOKING, "push_back", "pop_back", "reserve")
_TELLING = re.compile(r"cu(da)?[A-Z]|mem(cpy|move|set)$")  # they put it into the queue themselves
_OF_DEVICE = ("thrust::", "cub::")
_WITHOUT_WORK = (
    "size", "data", "begin", "end", "empty", "get", "raw_pointer_cast", "device_pointer_cast", "device_vector",
    "host_vector",
)  # fmt: skip
_RUNNING = (f"{FUNCTION}::", "cudaGraph", "std::thread::", "std::jthread::", "std::async")


def prepare_call(
    machine: Machine, function: FunctionRef, types: tuple[Type, ...], returns: Type, span: Span
) -> Callable[[tuple[Value, ...]], Value]:
    """The code that calls a function with arguments of these types."""
    declared = machine.functions.get(function.key)
    if function == THROWN or function.name.startswith(PREFIX):
        return lambda _: stop()
    if declared is not None and declared.body is not None and function.user_code:
        return _body(machine, declared, span)
    name = function.library_name
    runs_it = name in CALLING or name in LAUNCHING or function.qualified.startswith(_RUNNING)
    runs_it = runs_it or _adds_thread(function, types) or _only_keeps(function)
    runs_it = runs_it or (not function.user_code and given_code_model(function) is not None)
    functors = [] if runs_it else [i for i, type_ in enumerate(types) if _may_lead_to_code(type_)]
    if function.qualified.startswith(OWNING):
        functors = [i for i in functors if not _gives_back(machine, types[i])]
    destroys = not function.user_code and name not in _DESTROYING_NOTHING
    model = None if function.user_code else model_of(function)
    looks = not function.user_code and not _TELLING.match(name)
    works = function.qualified.startswith(_OF_DEVICE) and name not in _WITHOUT_WORK

    def call(arguments: tuple[Value, ...]) -> Value:
        for i in functors:
            if _may_run(machine, arguments[i], types[i]):
                raise StoppedError
        if destroys:
            _may_destroy(machine, types)
        if looks and machine.queue is not None:
            machine.queue.may_use(arguments, function.name)
        if works and machine.queue is not None:
            machine.queue.doubt(f"a call of {function.qualified}")
        value = None if model is None else model(LibraryCall(machine, function, arguments, types, returns, span))
        if value is not None:
            return value
        if declared is not None and declared.body is not None:
            return _body(machine, declared, span)(arguments)
        return _unknown(machine, function, arguments, types)

    return looked_up(call) if model is element_model else call


def _only_keeps(function: FunctionRef) -> bool:
    """Whether a member of a container keeps what it gets, or looks at what is kept, and calls nothing."""
    return function.qualified.rpartition("::")[0] in OWNERS and function.library_name in _KEEPING


def _gives_back(machine: Machine, type_: Type) -> bool:
    """Whether a deleter only gives back what it gets, so that it need not be followed."""
    type_ = type_.to if isinstance(type_, PointerType) else type_
    return isinstance(type_, RecordType) and gives_back(type_.key, machine.functions)


def _adds_thread(function: FunctionRef, types: tuple[Type, ...]) -> bool:
    """Whether a vector of threads gets a new one."""
    match types:
        case (PointerType(to=OpaqueType(name=name)), *_) if function.library_name == "emplace_back":
            return is_thread(OpaqueType(name.partition("<")[2]))
        case _:
            return False


def _unknown(machine: Machine, function: FunctionRef, arguments: tuple[Value, ...], types: tuple[Type, ...]) -> Value:
    """A call of a function without a body and without a model."""
    declared = machine.functions.get(function.key)
    if declared is not None and declared.noreturn:
        raise EndedError
    if function.user_code or any(_leads_anywhere(a, t) for a, t in zip(arguments, types, strict=True)):
        raise StoppedError
    forget_reachable(arguments)
    if machine.queue is not None and not function.qualified.startswith(("std::", "operator")):
        machine.queue.may_wait_for_all(f"a call of {function.name}")  # it may be a library's that waits for the device
        if not all(isinstance(t, IntType | FloatType | BoolType) for t in types):
            machine.queue.doubt(f"a call of {function.name}")  # and that puts work on it
    return UNKNOWN


def _may_lead_to_code(type_: Type) -> bool:
    """Whether a value of a type may be, or lead to, functions."""
    match type_:
        case IntType() | FloatType() | BoolType() | PointerType(to=IntType() | FloatType() | BoolType()):
            return False
        case _:
            return True


def _may_run(machine: Machine, argument: Value, type_: Type) -> bool:
    """Whether a function may call code of the program by what it is given."""
    if isinstance(argument, int | float):
        return False
    reference = isinstance(type_, PointerType) and type_.reference
    type_ = type_.to if isinstance(type_, PointerType) else type_
    if isinstance(type_, RecordType) and type_.key in machine.functors:
        return True
    if isinstance(type_, OpaqueType) and type_.name.startswith(f"{FUNCTION}<"):
        return True
    if not isinstance(argument, Pointer):
        return isinstance(argument, Callee)
    cells, size = argument.target.held, width_of(type_, machine.records)
    if cells and reference and argument.offset is not None and size is not None:
        cells = within(argument.target, argument.offset, argument.offset + size)
    return any(isinstance(c.value, Callee) for c in cells.values())


def _may_destroy(machine: Machine, types: tuple[Type, ...]) -> None:
    """A function of the library may destroy what objects that it is given hold, and wait for work meanwhile."""
    if machine.queue is not None and machine.queue.waiting is not None:
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


def _body(machine: Machine, function: Function, span: Span) -> Callable[[tuple[Value, ...]], Value]:
    """The code that runs a function's body, called at a place."""
    body, ref = function.body, function.ref
    parameters = [_parameter(machine, parameter) for parameter in function.parameters]

    def run(arguments: tuple[Value, ...]) -> Value:
        if len(machine.frames) >= MOST_FRAMES or body is None:
            raise StoppedError
        cost, execute = _compiled(machine, body)
        machine.step(cost)
        frame = Frame(ref, span)
        for begin, argument in zip(parameters, arguments, strict=False):
            begin(frame, argument)
        machine.enter(frame)
        left = execute()
        machine.leave()
        return left.value if isinstance(left, Returned) else UNKNOWN

    return run


def _compiled(machine: Machine, body: Block) -> tuple[int, Execution]:
    """The code of a body, which is made when it is first run, and the steps that it takes."""
    known = machine.compiled.get(id(body))
    if known is None:
        known = machine.compiled[id(body)] = body, (cost_of(body), execution(machine, body))
    return known[1]


def _parameter(machine: Machine, parameter: Variable) -> Callable[[Frame, Value], None]:
    """The code that gives a parameter its value."""
    name, key, type_, span = parameter.name, parameter.key, parameter.type, parameter.span
    size = width_of(type_, machine.records)

    def begin(frame: Frame, argument: Value) -> None:
        if size is not None and not isinstance(type_, RecordType | ArrayType):
            made = Object(name, size, {0: Cell(argument, type_, size)}, written=span)
        else:
            made = Object(name, size)
            store(Pointer(made, 0), argument, type_, machine.records, span)
        frame.variables[key] = made

    return begin
