"""Textures and surfaces (CUDA C++ Programming Guide, "Texture and Surface Memory").

A texture's values are opaque.  A surface keeps what is written to it; what was not written is opaque.  Its accesses are
told to observers at offsets that are different for different coordinates.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from hgrd.cuda.builtins import Builtin
from hgrd.cuda.memory_model import AccessKind
from hgrd.program import expressions as ir
from hgrd.program.types import PointerType, Type, VoidType
from hgrd.simulate.lockstep.access import touch
from hgrd.simulate.lockstep.arithmetic import DType, Value
from hgrd.simulate.lockstep.builder import CodeBuilder, arguments_of, fails
from hgrd.simulate.lockstep.device.opaque import Drawn, drawn, handle_of, keys_of
from hgrd.simulate.lockstep.expressions import as_bytes
from hgrd.simulate.lockstep.instructions import ActiveThreads, Closure, UnsupportedError
from hgrd.simulate.lockstep.lvalues import storer
from hgrd.simulate.lockstep.memory import At
from hgrd.simulate.lockstep.thread_numbers import spread
from hgrd.simulate.trace import MemoryOrder

_COORDINATES = {"1D": 1, "2D": 2, "1DLayered": 2}  # three for all others
_STRIDES = (1, 1 << 22, 1 << 40)  # of x in bytes, y and z: more than any surface has of them
_TEXEL_BITS = 8


def texture_fetch(b: CodeBuilder, e: ir.Call, row: Builtin) -> Closure:
    """`tex2D<float>(object, x, y)`, `tex2D(&value, object, x, y)`, `tex2D(reference, x, y)`."""
    delivers = _delivered(b, e)
    made = drawn(b, _element(e), _TEXEL_BITS)
    if delivers is None or made is None:
        return fails(f"{e.function.name} of a type of unknown size", e.span)
    texture, *coordinates = e.arguments[isinstance(e.type, VoidType) :]
    values = [handle_of(b, texture), *arguments_of(b, tuple(coordinates))]
    return lambda here: delivers(here, made(keys_of(here, [value(here) for value in values])))


def surface_access(b: CodeBuilder, e: ir.Call, row: Builtin) -> Closure:
    """`surf2Dwrite(value, surface, x, y)`, and reads in the forms that fetches have."""
    writes = row.operation == "write"
    type_ = e.arguments[0].type if writes else _element(e)
    dtype, made = b.unit.dtype(type_), drawn(b, type_, _TEXEL_BITS)
    delivers = None if writes else _delivered(b, e)
    if dtype is None or made is None or (delivers is None and not writes):
        return fails(f"{e.function.name} of a type of unknown size", e.span)
    first = 1 if writes or isinstance(e.type, VoidType) else 0
    count = _COORDINATES.get(e.function.name.removeprefix("surf").removesuffix(row.operation), 3)
    surface = handle_of(b, e.arguments[first])
    coordinates = arguments_of(b, e.arguments[first + 1 : first + 1 + count])
    kind = AccessKind.WRITE if writes else AccessKind.READ
    access = b.unit.access(e.function.name, dtype, kind, e.span, MemoryOrder.PLAIN)
    stored = b.lower(e.arguments[0]) if writes else None

    def place(here: ActiveThreads) -> tuple[str, NDArray[np.int64]]:
        handle = surface(here)
        number = spread(here, handle)
        if np.any(number != number[0]):
            raise UnsupportedError("several surfaces at once", e.span)
        parts = [spread(here, c(here)).astype(np.int64) * s for c, s in zip(coordinates, _STRIDES, strict=False)]
        return f"surface {number[0]}", sum(parts, np.zeros(here.count, np.int64))

    def run(here: ActiveThreads) -> Value:
        name, offsets = place(here)
        memory = here.batch.memory
        target = memory.without_bytes(name)
        cells = memory.cells.setdefault(target.number, {})
        if stored is not None:
            value = spread(here, stored(here))
            touch(here, target, At(target.number, offsets), access, value)
            for at, row_ in zip(offsets.tolist(), as_bytes(value), strict=True):
                cells[at] = row_.tobytes()
            return None
        found = _read(made, cells, offsets, keys_of(here, [np.uint64(target.number), offsets]), dtype)
        touch(here, target, At(target.number, offsets), access, found)
        assert delivers is not None
        return delivers(here, found)

    return run


def _read(made: Drawn, cells: dict[int, bytes], offsets: NDArray[np.int64], keys: Value, dtype: DType) -> Value:
    """What was written at each offset, opaque values elsewhere."""
    rows = np.ascontiguousarray(as_bytes(made(keys)))
    for i, at in enumerate(offsets.tolist()):
        known = cells.get(at)
        if known is not None and len(known) == rows.shape[1]:
            rows[i] = np.frombuffer(known, np.uint8)
    return rows if dtype.kind == "V" else rows.view(dtype)[:, 0]


def _element(e: ir.Call) -> Type:
    first = e.arguments[0].type
    return first.to if isinstance(e.type, VoidType) and isinstance(first, PointerType) else e.type


def _delivered(b: CodeBuilder, e: ir.Call) -> Callable[[ActiveThreads, Value], Value] | None:
    """Gives the value, or stores it where the first argument points to."""
    if not isinstance(e.type, VoidType):
        return lambda here, value: value
    pointer = e.arguments[0]
    if not isinstance(pointer.type, PointerType) or b.controls(pointer):
        return None
    return storer(b, ir.Deref(pointer, pointer.type.to, e.span), pointer.type.to)
