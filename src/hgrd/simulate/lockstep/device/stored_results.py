"""Functions that store results where arguments point to: `sincos`, `modf`, `__vibmax_s32` (CUDA Math API)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from hgrd.cuda.builtins import Builtin
from hgrd.program import expressions as ir
from hgrd.program.types import PointerType
from hgrd.simulate.lockstep.arithmetic import BinaryFunction, Value
from hgrd.simulate.lockstep.builder import CodeBuilder, arguments_of, fails
from hgrd.simulate.lockstep.device.integers import parts_of_word
from hgrd.simulate.lockstep.instructions import ActiveThreads, Closure
from hgrd.simulate.lockstep.lvalues import Storer, storer

Several: TypeAlias = Callable[..., tuple[Value, ...]]
"""Gives the results that are stored, in the order of the arguments, and before these the one that is returned."""


def stored_results(b: CodeBuilder, e: ir.Call, row: Builtin) -> Closure | None:
    """The function's value, after its stores; None of functions that are not known."""
    function = FUNCTIONS.get(e.function.name)
    if function is None or len(e.arguments) <= max(row.writes):
        return None
    pointers = [e.arguments[at] for at in row.writes]
    if any(b.controls(p) or not isinstance(p.type, PointerType) for p in pointers):
        return fails(f"{e.function.name} of such operands", e.span)
    values = arguments_of(b, tuple(a for at, a in enumerate(e.arguments) if at not in row.writes))
    puts = [_storer(b, p) for p in pointers]
    returned = b.unit.dtype(e.type)

    def run(here: ActiveThreads) -> Value:
        result, *stored = function(*[value(here) for value in values])
        for put, value in zip(puts, stored, strict=True):
            put(here, value)
        return None if returned is None else np.asarray(result).astype(returned)[()]

    return run


def _storer(b: CodeBuilder, pointer: ir.Expression) -> Storer:
    assert isinstance(pointer.type, PointerType)
    type_ = pointer.type.to
    dtype = b.unit.dtype(type_)
    put = storer(b, ir.Deref(pointer, type_, pointer.span), type_)
    return put if dtype is None else lambda here, value: put(here, np.asarray(value).astype(dtype)[()])


def _sine_and_cosine(x: Value) -> tuple[Value, ...]:
    return None, np.sin(x), np.cos(x)


def _of_half_turns(x: Value) -> tuple[Value, ...]:
    return _sine_and_cosine(np.pi * x)


def _whole_and_fraction(x: Value) -> tuple[Value, ...]:
    return np.modf(x)


def _mantissa_and_exponent(x: Value) -> tuple[Value, ...]:
    return np.frexp(x)


def _remainder_and_quotient(x: Value, y: Value) -> tuple[Value, ...]:
    """The remainder of the nearest quotient, and the quotient's sign and three bits (C, `remquo`)."""
    whole = np.rint(x / y)
    quotient = np.copysign(np.fmod(np.abs(whole), 8), whole)
    return x - whole * y, np.where(np.isfinite(quotient), quotient, 0)


def _choice(best: BinaryFunction, chooses: BinaryFunction, bits: int, signed: bool) -> Several:
    """The minimum or maximum, and of each small integer, the highest first, whether it is the first operand's."""

    def run(a: Value, c: Value) -> tuple[Value, ...]:
        pairs = list(zip(parts_of_word(a, bits, signed), parts_of_word(c, bits, signed), strict=True))
        found = sum((best(x, y) & ((1 << bits) - 1)) << (bits * i) for i, (x, y) in enumerate(pairs))
        return found, *[chooses(x, y) for x, y in reversed(pairs)]

    return run


FUNCTIONS: dict[str, Several] = {
    **dict.fromkeys(("sincos", "sincosf", "__sincosf"), _sine_and_cosine),
    **dict.fromkeys(("sincospi", "sincospif"), _of_half_turns),
    **dict.fromkeys(("modf", "modff"), _whole_and_fraction),
    **dict.fromkeys(("frexp", "frexpf"), _mantissa_and_exponent),
    **dict.fromkeys(("remquo", "remquof"), _remainder_and_quotient),
    **{
        f"__vib{name}_{letter}{suffix}": _choice(best, chooses, bits, letter == "s")
        for name, best, chooses in (("max", np.maximum, np.greater_equal), ("min", np.minimum, np.less_equal))
        for suffix, bits in (("32", 32), ("16x2", 16))
        for letter in "su"
    },
}
