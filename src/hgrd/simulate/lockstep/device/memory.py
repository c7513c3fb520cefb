"""Library functions that access memory plainly: loads and stores with cache hints, copies."""

from __future__ import annotations

import numpy as np

from hgrd.cuda.memory_model import AccessKind
from hgrd.program import expressions as ir
from hgrd.program.types import PointerType, VoidType
from hgrd.simulate.lockstep.access import read, write
from hgrd.simulate.lockstep.arithmetic import Value
from hgrd.simulate.lockstep.builder import CodeBuilder, fails
from hgrd.simulate.lockstep.expressions import lower
from hgrd.simulate.lockstep.instructions import ActiveThreads, Closure, UnsupportedError
from hgrd.simulate.lockstep.lvalues import Storer, storer, target
from hgrd.simulate.trace import MemoryOrder

_LOADS = {"__ldg", "__ldcg", "__ldca", "__ldcs", "__ldlu", "__ldcv", "__builtin_nontemporal_load"}
_STORES = {"__stcg", "__stcs", "__stwt", "__stwb"}
_COPIES = {"memcpy", "memmove", "__builtin_memcpy", "__builtin_memmove"}
_FILLS = {"memset", "__builtin_memset"}
_PAIRS = {"sincosf", "sincos", "__sincosf", "sincospif", "sincospi"}


def memory_call(b: CodeBuilder, e: ir.Call) -> Closure | None:
    """None for other functions."""
    name, arguments = e.function.name, e.arguments
    if name in _LOADS:
        place = _pointee(arguments[0])
        return lower(b, ir.Load(place, e.type, e.span))
    if name in _STORES:
        place = _pointee(arguments[0])
        return lower(b, ir.Assign(place, arguments[1], arguments[1].type, e.span))
    if name in _COPIES:
        return _copy(b, e)
    if name in _FILLS:
        return _fill(b, e)
    if name in _PAIRS and len(arguments) == 3:
        return _sine_and_cosine(b, e)
    return None


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


def _copy(b: CodeBuilder, e: ir.Call) -> Closure:
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


def _fill(b: CodeBuilder, e: ir.Call) -> Closure:
    size = _length(e.arguments[2])
    if not size:
        return fails(f"{e.function.name} of a length that is not constant", e.span)
    to, value = target(b, _bare(e.arguments[0])), lower(b, e.arguments[1])
    writes = b.unit.access(e.function.name, np.dtype(f"V{size}"), AccessKind.WRITE, e.span, MemoryOrder.PLAIN)

    def run(here: ActiveThreads) -> Value:
        at = to(here)
        byte = np.atleast_1d(value(here)).astype(np.uint8)
        write(here, at, writes, np.ascontiguousarray(np.broadcast_to(byte[:, None], (here.count, size))))
        return at.address()

    return run


def _sine_and_cosine(b: CodeBuilder, e: ir.Call) -> Closure:
    angle = lower(b, e.arguments[0])
    scale = np.pi if "pi" in e.function.name else 1.0
    puts: list[Storer] = [storer(b, _pointee(p), _pointee(p).type) for p in e.arguments[1:]]
    dtypes = [b.unit.dtype(_pointee(p).type) for p in e.arguments[1:]]

    def run(here: ActiveThreads) -> None:
        x = angle(here)
        wide = x * scale if scale != 1.0 else x
        for put, dtype, function in zip(puts, dtypes, (np.sin, np.cos), strict=True):
            if dtype is None:
                raise UnsupportedError("sincos to a type that numpy has not", e.span)
            put(here, function(wide).astype(dtype))

    return run
