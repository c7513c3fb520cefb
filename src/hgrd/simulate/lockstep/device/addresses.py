"""Addresses in the window of shared memory: 32 bits for an object and an offset in it (PTX ISA, "cvta")."""

from __future__ import annotations

import numpy as np

from hgrd.cuda.builtins import Builtin
from hgrd.program import expressions as ir
from hgrd.simulate.lockstep.arithmetic import Value
from hgrd.simulate.lockstep.builder import CodeBuilder, arguments_of
from hgrd.simulate.lockstep.instructions import ActiveThreads, Closure, UnsupportedError
from hgrd.simulate.lockstep.memory import BIAS, SHIFT

_SHIFT = 19
_BIAS = 1 << 17  # of offsets, so that those before an object still belong to it
_OBJECTS = 1 << (32 - _SHIFT)


def window_address(b: CodeBuilder, e: ir.Call, row: Builtin) -> Closure | None:
    """Conversions from and to addresses in the window; those of global memory are generic ones; None of others."""
    match e.function.name:
        case "__cvta_generic_to_shared":
            (pointer,) = arguments_of(b, e.arguments)

            def narrowed(here: ActiveThreads) -> Value:
                address = pointer(here)
                number, offset = address >> SHIFT, (address & ((1 << SHIFT) - 1)) - BIAS
                if np.any(number >= _OBJECTS) or np.any(abs(offset) >= _BIAS):
                    raise UnsupportedError("shared memory outside of a window of 32 bits", e.span)
                return ((number << _SHIFT) + offset + _BIAS).astype(np.uint64)

            return narrowed
        case "__cvta_shared_to_generic":
            (window,) = arguments_of(b, e.arguments)

            def widened(here: ActiveThreads) -> Value:
                address = window(here).astype(np.int64)
                return ((address >> _SHIFT) << SHIFT) + BIAS + (address & ((1 << _SHIFT) - 1)) - _BIAS

            return widened
        case "__cvta_generic_to_global" | "__cvta_global_to_generic":
            (same,) = arguments_of(b, e.arguments)
            return same
        case _:
            return None
