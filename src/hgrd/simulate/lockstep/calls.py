"""Calls: of functions with bodies, of known device functions, through pointers, of constructors."""

from __future__ import annotations

from inspect import signature

import numpy as np

from hgrd.cuda.memory_model import AccessKind, Scope
from hgrd.program import expressions as ir
from hgrd.program.expressions import Expression
from hgrd.program.span import Span
from hgrd.program.types import VOID, PointerType, RecordType
from hgrd.protocol.device_calls.annotations import is_annotation
from hgrd.simulate.lockstep import arithmetic
from hgrd.simulate.lockstep.access import read
from hgrd.simulate.lockstep.arithmetic import I64, Value
from hgrd.simulate.lockstep.builder import CodeBuilder, fails, is_group, kept, nothing
from hgrd.simulate.lockstep.device.atomics import atomic_call
from hgrd.simulate.lockstep.device.barriers_and_votes import meeting
from hgrd.simulate.lockstep.device.libcu_atomics import atomic_member, object_of
from hgrd.simulate.lockstep.device.math import FUNCTIONS
from hgrd.simulate.lockstep.device.memory import memory_call
from hgrd.simulate.lockstep.expressions import as_bytes, lower
from hgrd.simulate.lockstep.instructions import ActiveThreads, Closure, Invoke, InvokeIndirect, TrapError
from hgrd.simulate.lockstep.lvalues import load, local_object, plain_access
from hgrd.simulate.lockstep.thread_numbers import launch_threads
from hgrd.simulate.trace import Fenced

_FENCES = {
    "__threadfence": Scope.DEVICE,
    "__threadfence_block": Scope.BLOCK,
    "__threadfence_system": Scope.SYSTEM,
    "__nv_atomic_thread_fence": Scope.SYSTEM,
}
_SILENT = {
    "printf", "vprintf", "__nanosleep", "__prefetch_global_l1", "__prefetch_global_l2", "__brkpt", "__prof_trigger",
    "__builtin_assume", "__builtin_prefetch", "__pipeline_commit", "__pipeline_wait_prior", "puts",
}  # fmt: skip
_TIMES = {"clock", "clock64", "__globaltimer", "__smid"}
_STOPS = {"__trap", "__assertfail", "__assert_fail", "abort", "exit", "__builtin_trap", "__builtin_unreachable"}
_ASSERTS = {"assert", "__hgrd_assert", "__assert"}
_ASSUMED = {"__requires", "__assume", "__global_requires", "__global_assert"}
_ACROSS = {"__distinct_int", "__distinct_bool", "__uniform_int", "__uniform_bool"}  # hold, or the program is wrong


def call(b: CodeBuilder, e: ir.Call | ir.IndirectCall | ir.Construct) -> Closure:
    match e:
        case ir.IndirectCall(callee=callee, arguments=arguments, span=span):
            values = arguments_of(b, (callee, *arguments))
            result = _result(b, e)
            b.emit(InvokeIndirect(values[0], values[1:], result, span, b.around))
            return nothing if result is None else kept(result)
        case ir.Construct():
            return _construct(b, e)
        case ir.Call(function=function, arguments=arguments, span=span):
            callee = b.unit.enters(function.key)
            if callee is None:
                return known(b, e)
            values = arguments_of(b, arguments)
            result = _result(b, e)
            b.emit(Invoke(b.unit.code_of(callee), values, result, span, b.around))
            return nothing if result is None else kept(result)


def _result(b: CodeBuilder, e: Expression) -> int | None:
    dtype = None if e.type == VOID else b.unit.dtype(e.type)
    return None if dtype is None else b.slot(dtype)


def arguments_of(b: CodeBuilder, arguments: tuple[Expression, ...]) -> tuple[Closure, ...]:
    last = max((i for i, a in enumerate(arguments) if b.controls(a)), default=-1)
    made: list[Closure] = []
    for i, argument in enumerate(arguments):
        value = lower(b, argument)
        made.append(b.spill(value, argument.type, argument.span) if i < last else value)
    return tuple(made)


# ---------------------------------------------------------------- constructors


def _construct(b: CodeBuilder, e: ir.Construct) -> Closure:
    """Runs the constructor on a new object and takes its value."""
    dtype, size = b.unit.dtype(e.type), b.unit.size(e.type)
    if is_group(e.type):
        return _copied_group(b, e)
    if dtype is None or size is None:
        return fails("an object of unknown size", e.span)
    constructor = e.constructor
    function = None if constructor is None else b.unit.enters(constructor.key)
    if constructor is None:
        rows = np.zeros((1, size), np.uint8)
        return lambda here: np.broadcast_to(rows, (here.count, size))
    if function is None:
        return _library_object(b, e, size)
    where = local_object(b.object("object", size))
    values = arguments_of(b, e.arguments)
    b.emit(Invoke(b.unit.code_of(function), (lambda here: where(here).address(), *values), None, e.span, b.around))
    access = plain_access(b, "object", dtype, AccessKind.READ, e.span)
    return lambda here: read(here, where(here), access)


def _copied_group(b: CodeBuilder, e: ir.Construct) -> Closure:
    match e.arguments:
        case (argument,) if isinstance(argument.type, PointerType):
            return load(b, ir.Deref(argument, argument.type.to, e.span), argument.type.to, e.span, False)
        case _:
            return lambda here: np.int64(0)


def _library_object(b: CodeBuilder, e: ir.Construct, size: int) -> Closure:
    """A constructor whose body is not known: of a copy, of dim3 and the like, of half."""
    from hgrd.simulate.lockstep.device.half_precision import from_number

    atomic = object_of(b, e)
    if atomic is not None:
        return atomic
    match e.arguments:
        case (argument,) if isinstance(argument.type, PointerType) and argument.type.to == e.type:
            return load(b, ir.Deref(argument, e.type, e.span), e.type, e.span, False)
        case (argument,) if argument.type == e.type:
            return lower(b, argument)
        case (argument,):
            made = from_number(b, e.type, argument)
            return made if made is not None else fails("a constructor whose body is not known", e.span)
        case arguments if e.constructor is not None and e.constructor.name in ("dim3", "uint3", "__half2"):
            return packed(b, arguments, size, e.span)
        case _:
            return fails("a constructor whose body is not known", e.span)


def packed(b: CodeBuilder, arguments: tuple[Expression, ...], size: int, span: Span) -> Closure:
    """A record of the arguments, one after the other."""
    values = arguments_of(b, arguments)

    def run(here: ActiveThreads) -> Value:
        rows = np.zeros((here.count, size), np.uint8)
        at = 0
        for value in values:
            part = as_bytes(value(here))
            rows[:, at : at + part.shape[1]] = part
            at += part.shape[1]
        return rows

    return run


# ---------------------------------------------------------------- device functions


def known(b: CodeBuilder, e: ir.Call) -> Closure:
    """A function without a body."""
    from hgrd.simulate.lockstep.device.half_precision import half_call

    name = e.function.name
    if name in _SILENT:
        values = arguments_of(b, e.arguments)
        return _evaluated(values, np.int32(0))
    if name in _TIMES:
        dtype = b.unit.dtype(e.type) or I64
        return lambda here: dtype.type(0)
    if name in _FENCES:
        return _fence(_FENCES[name], e.span)
    if name in _STOPS:
        return _stop(name, e.span)
    if name in _ASSERTS:
        return _assertion(b, e)
    if name in _ASSUMED or name in _ACROSS:
        return _evaluated(arguments_of(b, e.arguments), np.int32(1))
    if name == "__implies":
        return _numbers(b, e, _implied)
    if is_annotation(name):
        return lambda here: np.int32(1)
    for lowering in (meeting, atomic_call, atomic_member, memory_call, half_call):
        made = lowering(b, e)
        if made is not None:
            return made
    if name.startswith("make_") and isinstance(e.type, RecordType):
        return packed(b, e.arguments, b.unit.size(e.type) or 0, e.span)
    function = FUNCTIONS.get(name) or FUNCTIONS.get(name.removeprefix("__builtin_"))
    if function is None or not _takes(function, len(e.arguments)):
        return fails(f"a call of {name}, whose body is not known", e.span)
    return _numbers(b, e, function)


def _numbers(b: CodeBuilder, e: ir.Call, function: arithmetic.NumpyFunction) -> Closure:
    """A function of numbers."""
    to = b.unit.dtype(e.type)
    if to is None or any(b.unit.dtype(a.type) is None for a in e.arguments):
        return fails(f"a call of {e.function.name} with types that numpy has not", e.span)
    values = arguments_of(b, e.arguments)

    def run(here: ActiveThreads) -> Value:
        found = function(*[value(here) for value in values])
        return found if found.dtype == to else found.astype(to)

    return run


def _takes(function: arithmetic.NumpyFunction, count: int) -> bool:
    """Whether a function is one of so many numbers: there are others of the same name."""
    if isinstance(function, np.ufunc):
        return function.nin == count
    try:
        signature(function).bind(*range(count))
    except TypeError:
        return False
    return True


def _implied(condition: Value, conclusion: Value) -> Value:
    return np.logical_not(condition) | (conclusion != 0)


def _evaluated(values: tuple[Closure, ...], result: Value) -> Closure:
    def run(here: ActiveThreads) -> Value:
        for value in values:
            value(here)
        return result

    return run


def _fence(scope: Scope, span: Span) -> Closure:
    def run(here: ActiveThreads) -> None:
        if here.batch.observer is not None:
            here.batch.observer.fenced(Fenced(scope, launch_threads(here), span))

    return run


def _stop(name: str, span: Span) -> Closure:
    def run(here: ActiveThreads) -> None:
        raise TrapError(name, span, int(launch_threads(here)[0]))

    return run


def _assertion(b: CodeBuilder, e: ir.Call) -> Closure:
    if not e.arguments:
        return nothing
    value = lower(b, e.arguments[0])

    def run(here: ActiveThreads) -> Value:
        good = value(here) != 0
        if not np.all(good):
            bad = 0 if arithmetic.uniform(good) else int(np.flatnonzero(~good)[0])
            raise TrapError("a failed assertion", e.span, int(launch_threads(here)[bad]))
        return np.int32(0)

    return run
