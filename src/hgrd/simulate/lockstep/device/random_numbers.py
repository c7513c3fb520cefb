"""Random generators (cuRAND Library, "Device API Overview"): each draw reads the state in memory and writes it.

The numbers are opaque ones, not cuRAND's.
"""

from __future__ import annotations

import numpy as np

from hgrd.cuda.builtins import Builtin
from hgrd.cuda.memory_model import AccessKind
from hgrd.program import expressions as ir
from hgrd.program.types import PointerType, RecordType, VoidType
from hgrd.simulate.lockstep.access import read, write
from hgrd.simulate.lockstep.arithmetic import Value
from hgrd.simulate.lockstep.builder import CodeBuilder, arguments_of, fails
from hgrd.simulate.lockstep.device.opaque import drawn, keys_of, mixed
from hgrd.simulate.lockstep.instructions import ActiveThreads, Closure
from hgrd.simulate.lockstep.lvalues import target
from hgrd.simulate.trace import MemoryOrder

_OF_A_BLOCK = "curandStateMtgp32"
_BITS, _FEW_BITS = 32, 3


def random_number(b: CodeBuilder, e: ir.Call, row: Builtin) -> Closure:
    """`curand_init(seed, sequence, offset, &state)`, `skipahead(n, &state)`, `curand_uniform(&state)` and its kin."""
    name = e.function.name
    states = [a for a in e.arguments if isinstance(a.type, PointerType) and isinstance(a.type.to, RecordType)]
    if len(states) != 1:
        return fails(f"{name} of such operands", e.span)
    (state,) = states
    assert isinstance(state.type, PointerType) and isinstance(state.type.to, RecordType)
    dtype = b.unit.dtype(state.type.to)
    draw = None if isinstance(e.type, VoidType) else drawn(b, e.type, _FEW_BITS if "poisson" in name else _BITS)
    if dtype is None or state.type.to.key == _OF_A_BLOCK or (draw is None and not isinstance(e.type, VoidType)):
        return fails(f"{name} of such a generator", e.span)
    numbers = arguments_of(b, tuple(a for a in e.arguments if not isinstance(a.type, PointerType)))
    where = target(b, state)
    reads = b.unit.access(name, dtype, AccessKind.READ, e.span, MemoryOrder.PLAIN)
    writes = b.unit.access(name, dtype, AccessKind.WRITE, e.span, MemoryOrder.PLAIN)
    initial = name == "curand_init"

    def run(here: ActiveThreads) -> Value:
        given = [number(here) for number in numbers]
        at = where(here)
        keys = keys_of(here, given if initial else [*given, _held(read(here, at, reads))])
        rows = np.zeros((here.count, dtype.itemsize), np.uint8)
        rows[:, :8] = np.ascontiguousarray(keys).view(np.uint8).reshape(here.count, 8)
        write(here, at, writes, rows)
        return None if draw is None else draw(mixed(keys))

    return run


def _held(rows: Value) -> Value:
    return np.ascontiguousarray(rows[:, :8]).view(np.uint64)[:, 0]
