"""Calls of functions with bodies, through pointers, of constructors and of `new`; others are device calls."""

from __future__ import annotations

import numpy as np

from hgrd.cuda.memory_model import AccessKind
from hgrd.program import expressions as ir
from hgrd.program.expressions import Expression
from hgrd.program.types import VOID, PointerType
from hgrd.simulate.lockstep.access import own_memory, read, write
from hgrd.simulate.lockstep.builder import CodeBuilder, arguments_of, fails, is_group, kept, nothing
from hgrd.simulate.lockstep.instructions import ActiveThreads, Closure, Do, Invoke, InvokeIndirect
from hgrd.simulate.lockstep.lvalues import load, local_object, plain_access
from hgrd.simulate.lockstep.memory import decoded, widened


def call(b: CodeBuilder, e: ir.Call | ir.IndirectCall | ir.Construct | ir.New) -> Closure:
    match e:
        case ir.New():
            return _new(b, e)
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
                return b.unit.lowering.device_call(b, e)
            values = arguments_of(b, arguments)
            result = _result(b, e)
            b.emit(Invoke(b.unit.code_of(callee), values, result, span, b.around))
            return nothing if result is None else kept(result)


def _result(b: CodeBuilder, e: Expression) -> int | None:
    dtype = None if e.type == VOID else b.unit.dtype(e.type)
    return None if dtype is None else b.slot(dtype)


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
        return b.unit.lowering.library_object(b, e, size)
    where = local_object(b.object("object", size))
    values = arguments_of(b, e.arguments)
    b.emit(Invoke(b.unit.code_of(function), (lambda here: where(here).address(), *values), None, e.span, b.around))
    access = plain_access(b, "object", dtype, AccessKind.READ, e.span)
    return lambda here: read(here, where(here), access)


def _new(b: CodeBuilder, e: ir.New) -> Closure:
    """The address of memory of each thread's own, after its initialisation."""
    size = b.unit.size(e.allocated)
    if size is None:
        return fails("an object of unknown size", e.span)
    number: Closure = (lambda here: np.int64(1)) if e.count is None else b.lower(e.count)
    made = b.spill(lambda here: own_memory(here, widened(number(here)) * size), e.type, e.span)
    match e.initial:
        case None | ir.Aggregate(parts=()) | ir.Construct(constructor=None):
            return made
        case _ if e.count is not None:
            return fails("an array of objects that are initialised, made by device code", e.span)
        case ir.Construct(constructor=ir.FunctionRef(key=key)) if b.unit.enters(key) is not None:
            function = b.unit.enters(key)
            assert function is not None
            values = arguments_of(b, e.initial.arguments)
            b.emit(Invoke(b.unit.code_of(function), (made, *values), None, e.span, b.around))
            return made
        case initial:
            return _stored(b, made, initial)


def _stored(b: CodeBuilder, pointer: Closure, initial: Expression) -> Closure:
    """The pointer, after a value was stored there."""
    dtype = b.unit.dtype(initial.type)
    if dtype is None:
        return fails("an object of unknown size", initial.span)
    value, access = b.lower(initial), plain_access(b, "object", dtype, AccessKind.WRITE, initial.span)

    def run(here: ActiveThreads) -> None:
        write(here, decoded(pointer(here)), access, value(here))

    b.emit(Do(run, initial.span, 0))
    return pointer


def _copied_group(b: CodeBuilder, e: ir.Construct) -> Closure:
    match e.arguments:
        case (argument,) if isinstance(argument.type, PointerType):
            return load(b, ir.Deref(argument, argument.type.to, e.span), argument.type.to, e.span, False)
        case _:
            return lambda here: np.int64(0)
