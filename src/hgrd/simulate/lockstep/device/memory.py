"""Library functions that access memory plainly: loads and stores with cache hints, copies."""

from __future__ import annotations

import numpy as np

from hgrd.cuda.builtins import Builtin
from hgrd.cuda.memory_model import AccessKind
from hgrd.program import expressions as ir
from hgrd.program.types import PointerType, VoidType
from hgrd.simulate.lockstep.access import own_memory, read, write
from hgrd.simulate.lockstep.arithmetic import Value
from hgrd.simulate.lockstep.builder import CodeBuilder, arguments_of, fails
from hgrd.simulate.lockstep.instructions import ActiveThreads, Closure
from hgrd.simulate.lockstep.lvalues import target
from hgrd.simulate.lockstep.memory import widened
from hgrd.simulate.trace import MemoryOrder


def cached_load(b: CodeBuilder, e: ir.Call, row: Builtin) -> Closure:
    return b.lower(ir.Load(_pointee(e.arguments[0]), e.type, e.span))


def cached_store(b: CodeBuilder, e: ir.Call, row: Builtin) -> Closure:
    place, value = _pointee(e.arguments[0]), e.arguments[1]
    return b.lower(ir.Assign(place, value, value.type, e.span))


def _pointee(pointer: ir.Expression) -> ir.Deref:
    assert isinstance(pointer.type, PointerType)
    return ir.Deref(pointer, pointer.type.to, pointer.span)


def _bare(pointer: ir.Expression) -> ir.Expression:
    """Without the conversion to `void *`."""
    while isinstance(pointer, ir.Convert) and isinstance(pointer.type, PointerType):
        if not isinstance(pointer.type.to, VoidType):
            break
        pointer = pointer.operand
    return pointer


def _length(length: ir.Expression) -> int | None:
    while isinstance(length, ir.Convert):
        length = length.operand
    return length.value if isinstance(length, ir.IntConst) else None


def copy(b: CodeBuilder, e: ir.Call, row: Builtin) -> Closure:
    size = _length(e.arguments[2])
    if not size:
        return fails(f"{e.function.name} of a length that is not constant", e.span)
    to, source = (target(b, _bare(a)) for a in e.arguments[:2])
    dtype = np.dtype(f"V{size}")
    reads = b.unit.access(e.function.name, dtype, AccessKind.READ, e.span, MemoryOrder.PLAIN)
    writes = b.unit.access(e.function.name, dtype, AccessKind.WRITE, e.span, MemoryOrder.PLAIN)

    def run(here: ActiveThreads) -> Value:
        at = to(here)
        write(here, at, writes, read(here, source(here), reads))
        return at.address()

    return run


def fill(b: CodeBuilder, e: ir.Call, row: Builtin) -> Closure:
    size = _length(e.arguments[2])
    if not size:
        return fails(f"{e.function.name} of a length that is not constant", e.span)
    to, value = target(b, _bare(e.arguments[0])), b.lower(e.arguments[1])
    writes = b.unit.access(e.function.name, np.dtype(f"V{size}"), AccessKind.WRITE, e.span, MemoryOrder.PLAIN)

    def run(here: ActiveThreads) -> Value:
        at = to(here)
        byte = np.atleast_1d(value(here)).astype(np.uint8)
        write(here, at, writes, np.ascontiguousarray(np.broadcast_to(byte[:, None], (here.count, size))))
        return at.address()

    return run


def heap_memory(b: CodeBuilder, e: ir.Call, row: Builtin) -> Closure:
    """malloc: the address of memory of each thread's own."""
    (size,) = arguments_of(b, e.arguments[:1])
    return lambda here: own_memory(here, widened(size(here)))
