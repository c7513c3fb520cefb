"""Opaque values: of textures and random generators, whose contents no run knows.

Each is a fixed function of what it is asked for, so that runs are alike: a number from 0 to below 1 of a floating-point
type, a small one of an integer type.  Whatever a texture holds, the same place has the same value.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from hgrd.program import expressions as ir
from hgrd.program.layout import scalars
from hgrd.program.types import Type
from hgrd.simulate.lockstep.arithmetic import U64, DType, Value, dtype_of
from hgrd.simulate.lockstep.builder import CodeBuilder, arguments_of
from hgrd.simulate.lockstep.instructions import ActiveThreads, Closure
from hgrd.simulate.lockstep.thread_numbers import spread

Keys = NDArray[np.uint64]
"""A number for each thread, that tells what is asked for."""

Drawn = Callable[[Keys], Value]
_MOST_SCALARS = 16


def mixed(keys: Keys) -> Keys:
    """Numbers that look random (Steele, Lea, Flood, "Fast splittable pseudorandom number generators")."""
    x = keys + U64.type(0x9E3779B97F4A7C15)
    x = (x ^ (x >> U64.type(30))) * U64.type(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> U64.type(27))) * U64.type(0x94D049BB133111EB)
    return x ^ (x >> U64.type(31))


def keys_of(here: ActiveThreads, values: list[Value]) -> Keys:
    """One number of several values a thread."""
    keys = np.zeros(here.count, U64)
    for value in values:
        words = spread(here, value)
        for column in words.T if words.ndim == 2 else (words,):
            raw = np.ascontiguousarray(column)
            keys = mixed(keys ^ raw.view(f"u{raw.dtype.itemsize}").astype(U64))
    return keys


def key_of_name(name: str) -> np.uint64:
    """The number of a variable, by its name."""
    return np.uint64(int.from_bytes(name.encode()[-8:], "little"))


def drawn(b: CodeBuilder, type_: Type, bits: int) -> Drawn | None:
    """Gives values of a type, integers of so many bits; None of a type of unknown size."""
    dtype, size = b.unit.dtype(type_), b.unit.size(type_)
    if dtype is None or size is None:
        return None
    if dtype.kind != "V":
        return lambda keys: _number(keys, dtype, bits)
    parts = [(at, dtype_of(t)) for at, t in scalars(type_, b.unit.tables.records, _MOST_SCALARS)]
    if not parts or any(part is None for _, part in parts):
        return None

    def rows(keys: Keys) -> Value:
        made = np.zeros((len(keys), size), np.uint8)
        for at, part in parts:
            assert part is not None
            numbers = np.ascontiguousarray(_number(mixed(keys + U64.type(at + 1)), part, bits))
            made[:, at : at + part.itemsize] = numbers.view(np.uint8).reshape(len(keys), -1)
        return made

    return rows


def _number(keys: Keys, dtype: DType, bits: int) -> Value:
    if dtype.kind == "f":
        return ((keys >> U64.type(40)).astype(np.float64) / (1 << 24)).astype(dtype)
    return (keys & U64.type((1 << bits) - 1)).astype(dtype)


def handle_of(b: CodeBuilder, e: ir.Expression) -> Closure:
    """The number of a texture or surface: of a variable, or that of the object's handle."""
    match e:
        case ir.AddressOf(place=ir.VariablePlace(variable=variable)):
            number = key_of_name(variable.key)
            return lambda here: number
        case _:
            return arguments_of(b, (e,))[0]
