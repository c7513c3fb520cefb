"""Device calls for groups of threads: which module knows what a call means.

What a call is, `cuda` says; a call of anything else without a body ends the run when it is executed.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature

import numpy as np

from hgrd.cuda.atomics import StdMemoryOrder
from hgrd.cuda.builtins import Builtin, Kind, builtin
from hgrd.cuda.limits import WARP_SIZE
from hgrd.program import expressions as ir
from hgrd.program.types import IntType, PointerType, RecordType
from hgrd.simulate.lockstep import arithmetic
from hgrd.simulate.lockstep.arithmetic import I64, Value
from hgrd.simulate.lockstep.builder import CodeBuilder, arguments_of, fails, nothing
from hgrd.simulate.lockstep.device.addresses import window_address
from hgrd.simulate.lockstep.device.atomics import atomic_call, order_and_scope
from hgrd.simulate.lockstep.device.barriers_and_votes import half_of_barrier, meeting
from hgrd.simulate.lockstep.device.cooperative_groups import group_call
from hgrd.simulate.lockstep.device.half_precision import from_number, from_parts, half_call
from hgrd.simulate.lockstep.device.integers import FUNCTIONS as OF_INTEGERS
from hgrd.simulate.lockstep.device.libcu_atomics import UNKNOWN_FENCE, atomic_object_call, fence, object_of
from hgrd.simulate.lockstep.device.math import FUNCTIONS
from hgrd.simulate.lockstep.device.memory import cached_load, cached_store, copy, fill, heap_memory
from hgrd.simulate.lockstep.device.random_numbers import random_number
from hgrd.simulate.lockstep.device.stored_results import stored_results
from hgrd.simulate.lockstep.device.textures import surface_access, texture_fetch
from hgrd.simulate.lockstep.expressions import packed
from hgrd.simulate.lockstep.instructions import ActiveThreads, Closure, TrapError
from hgrd.simulate.lockstep.lvalues import load
from hgrd.simulate.lockstep.thread_numbers import lane_numbers, launch_threads, threads_in_block

_FUNCTIONS = {**FUNCTIONS, **OF_INTEGERS}


def library_object(b: CodeBuilder, e: ir.Construct, size: int) -> Closure:
    """A constructor whose body is not known: of a copy, of dim3 and the like, of half."""
    atomic = object_of(b, e)
    if atomic is not None:
        return atomic
    pair = from_parts(b, e)
    if pair is not None:
        return pair
    match e.arguments:
        case (argument,) if isinstance(argument.type, PointerType) and argument.type.to == e.type:
            return load(b, ir.Deref(argument, e.type, e.span), e.type, e.span, False)
        case (argument,) if argument.type == e.type:
            return b.lower(argument)
        case (argument,):
            made = from_number(b, e.type, argument)
            return made if made is not None else fails("a constructor whose body is not known", e.span)
        case arguments if e.constructor is not None and e.constructor.name in ("dim3", "uint3"):
            return packed(b, arguments, size, e.span)
        case _:
            return fails("a constructor whose body is not known", e.span)


def device_call(b: CodeBuilder, e: ir.Call) -> Closure:
    """A call of a function without a body; one that is not known ends the run when it is executed."""
    if e.function.user_code:
        return fails(f"a call of {e.function.name}, whose body is not known", e.span)
    for lowering in (half_of_barrier, meeting, group_call, atomic_call, atomic_object_call, half_call):
        made = lowering(b, e)
        if made is not None:
            return made
    row = builtin(e.function.name)
    meaning = None if row is None else MEANINGS.get(row.kind)
    made = None if row is None or meaning is None else meaning(b, e, row)
    return _function(b, e) if made is None else made


def _silent(b: CodeBuilder, e: ir.Call, row: Builtin) -> Closure:
    return _evaluated(arguments_of(b, e.arguments), np.int32(0))


def _register(b: CodeBuilder, e: ir.Call, row: Builtin) -> Closure:
    """Clocks and the like: zero, so that runs are alike."""
    dtype = b.unit.dtype(e.type) or I64
    return lambda here: dtype.type(0)


def _fence(b: CodeBuilder, e: ir.Call, row: Builtin) -> Closure:
    if row.scope is not None:
        return fence(StdMemoryOrder.SEQ_CST, row.scope, e.span)
    known = order_and_scope(e.arguments)
    return fails(UNKNOWN_FENCE, e.span) if known is None else fence(*known, e.span)


def _stop(b: CodeBuilder, e: ir.Call, row: Builtin) -> Closure:
    def run(here: ActiveThreads) -> None:
        raise TrapError(e.function.name, e.span, int(launch_threads(here)[0]))

    return run


def _specification(b: CodeBuilder, e: ir.Call, row: Builtin) -> Closure | None:
    """What holds, or the program is wrong; None of a value that specifications alone have."""
    match row.operation:
        case "assert":
            return _assertion(b, e, row)
        case "condition":
            return _evaluated(arguments_of(b, e.arguments), np.int32(1))
        case "implies":
            return _numbers(b, e, _implied)
        case "offset":
            return None
        case _:
            return lambda here: np.int32(1)


def _vector(b: CodeBuilder, e: ir.Call, row: Builtin) -> Closure | None:
    """A record of the arguments; None of functions of vectors."""
    if row.operation != "make" or not isinstance(e.type, RecordType):
        return None
    return packed(b, e.arguments, b.unit.size(e.type) or 0, e.span)


def _lane(b: CodeBuilder, e: ir.Call, row: Builtin) -> Closure:
    if row.operation == "warp":
        return lambda here: (threads_in_block(here) // WARP_SIZE).astype(np.uint32)
    return lambda here: lane_numbers(here).astype(np.uint32)


def _function(b: CodeBuilder, e: ir.Call) -> Closure:
    """A function of numbers, by its name; one without arguments is of `std::numeric_limits`."""
    name = e.function.name
    if not e.arguments and name in ("min", "max", "lowest") and isinstance(e.type, IntType):
        limits = np.iinfo(b.unit.dtype(e.type) or I64)
        number = limits.dtype.type(limits.max if name == "max" else limits.min)
        return lambda here: number
    function = number_function(name)
    if function is None or not _takes(function, len(e.arguments)):
        return fails(f"a call of {name}, whose body is not known", e.span)
    return _numbers(b, e, function)


def number_function(name: str) -> arithmetic.NumpyFunction | None:
    """The function of numbers of this name; None: it is not known."""
    plain = name.removeprefix("__builtin_")
    return _FUNCTIONS.get(name) or _FUNCTIONS.get(plain)


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


def _assertion(b: CodeBuilder, e: ir.Call, row: Builtin) -> Closure:
    if not e.arguments:
        return nothing
    value = b.lower(e.arguments[0])

    def run(here: ActiveThreads) -> Value:
        good = value(here) != 0
        if not np.all(good):
            bad = 0 if arithmetic.uniform(good) else int(np.flatnonzero(~good)[0])
            raise TrapError("a failed assertion", e.span, int(launch_threads(here)[bad]))
        return np.int32(0)

    return run


MEANINGS: dict[Kind, Callable[[CodeBuilder, ir.Call, Builtin], Closure | None]] = {
    Kind.SILENT: _silent,
    Kind.REGISTER: _register,
    Kind.FENCE: _fence,
    Kind.STOP: _stop,
    Kind.ASSERT: _assertion,
    Kind.SPECIFICATION: _specification,
    Kind.VECTOR: _vector,
    Kind.LANE: _lane,
    Kind.ADDRESS: window_address,
    Kind.LOAD: cached_load,
    Kind.STORE: cached_store,
    Kind.COPY: copy,
    Kind.FILL: fill,
    Kind.HEAP: heap_memory,
    Kind.RANDOM: random_number,
    Kind.TEXTURE: texture_fetch,
    Kind.SURFACE: surface_access,
    Kind.NUMBERS: stored_results,
}
"""The meaning of each kind of device function for groups of threads.

Those for which threads meet are lowered by `meeting`; a function of numbers is known by its name.
"""
