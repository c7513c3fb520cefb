"""The operators of C on numpy arrays: width, signedness, wrap-around, truncation, saturation.

A value is a numpy scalar where all threads have the same, otherwise an array with one entry per thread.
The dtype of a value is always that of its type.  The caller has to silence floating-point warnings
(`np.errstate`); integer division by zero gives 0, as CUDA gives no error (PTX ISA, "div").
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hgrd.program.expressions import BinaryOp, UnaryOp
from hgrd.program.types import BoolType, FloatType, IntType, PointerType, Type

Value: TypeAlias = Any  # np.generic (the same for all threads) or NDArray (one entry a thread)
DType: TypeAlias = np.dtype[Any]
UnaryFunction: TypeAlias = Callable[[Value], Value]
BinaryFunction: TypeAlias = Callable[[Value, Value], Value]
Three: TypeAlias = Callable[[Value, Value, Value], Value]
NumpyFunction: TypeAlias = Callable[..., Value]  # of numbers

where: Three = np.where

BOOL = np.dtype(np.bool_)
I32 = np.dtype(np.int32)
U32 = np.dtype(np.uint32)
I64 = np.dtype(np.int64)
U64 = np.dtype(np.uint64)
F32 = np.dtype(np.float32)
F64 = np.dtype(np.float64)

_INTEGERS = {
    (bits, signed): np.dtype(f"{'i' if signed else 'u'}{bits // 8}") for bits in (8, 16, 32, 64) for signed in (0, 1)
}
_FLOATS = {16: np.dtype(np.float16), 32: F32, 64: F64}


def dtype_of(type_: Type) -> DType | None:
    """The dtype of a number or pointer; None for other types, and for numbers that numpy does not have."""
    match type_:
        case BoolType():
            return BOOL
        case IntType(bits=bits, signed=signed):
            return _INTEGERS.get((bits, signed))
        case FloatType(bits=bits):
            return _FLOATS.get(bits)
        case PointerType():
            return I64
        case _:
            return None


def uniform(value: Value) -> bool:
    """Whether all threads have this value; records are never uniform."""
    return not isinstance(value, np.ndarray)


# ---------------------------------------------------------------- conversions


def conversion(source: DType, target: DType) -> Callable[[Value], Value] | None:
    """The conversion of numbers; None if nothing changes.

    A float that does not fit its integer saturates, and NaN becomes 0 (CUDA Programming Guide,
    "Type Casting Functions"; PTX ISA, "cvt").
    """
    if source == target:
        return None
    if target == BOOL:
        return _truth
    if source.kind == "f" and target.kind in "iu":
        return _saturating(target)

    def cast(value: Value) -> Value:
        return value.astype(target)

    def same_bits(value: Value) -> Value:
        return value.view(target)

    both_integers = source.kind in "iu" and target.kind in "iu"
    return same_bits if both_integers and source.itemsize == target.itemsize else cast


def _truth(value: Value) -> Value:
    return value != 0


def _saturating(target: DType) -> Callable[[Value], Value]:
    limits = np.iinfo(target)
    low, high = float(limits.min), float(limits.max)
    below = -1.0 if limits.min == 0 else low  # (-1, 0) truncates to 0

    def cast(value: Value) -> Value:
        wide = np.asarray(value, F64)
        inside = bool(np.all((wide > below) & (wide < high)))
        if inside:
            return value.astype(target)
        whole = np.trunc(np.where(np.isnan(wide), 0.0, wide))
        fits = (whole >= low) & (whole < high)
        found = np.where(fits, whole, 0.0).astype(target)
        found = np.where(whole >= high, target.type(limits.max), np.where(whole < low, target.type(limits.min), found))
        return target.type(found) if uniform(value) else found

    return cast


# ---------------------------------------------------------------- operators


def unary(op: UnaryOp) -> Callable[[Value], Value]:
    match op:
        case UnaryOp.NEG:
            return np.negative
        case UnaryOp.BIT_NOT:
            return np.invert
        case UnaryOp.NOT:
            return np.logical_not


def binary(op: BinaryOp, operands: DType) -> Callable[[Value, Value], Value]:
    """The operator on operands of one type; for shifts, the right operand may have another.

    Shifts by the width and more leave no bit of the operand (PTX ISA, "shl", "shr").
    """
    match op:
        case BinaryOp.DIV:
            return _float_divide if operands.kind == "f" else (_divide if operands.kind == "i" else np.floor_divide)
        case BinaryOp.REM:
            return np.fmod
        case BinaryOp.SHL:
            return _shift(np.left_shift, operands)
        case BinaryOp.SHR:
            return _shift(np.right_shift, operands)
        case _:
            return _PLAIN[op]


_PLAIN: dict[BinaryOp, Callable[[Value, Value], Value]] = {
    BinaryOp.ADD: np.add,
    BinaryOp.SUB: np.subtract,
    BinaryOp.MUL: np.multiply,
    BinaryOp.AND: np.bitwise_and,
    BinaryOp.OR: np.bitwise_or,
    BinaryOp.XOR: np.bitwise_xor,
    BinaryOp.EQ: np.equal,
    BinaryOp.NE: np.not_equal,
    BinaryOp.LT: np.less,
    BinaryOp.LE: np.less_equal,
    BinaryOp.GT: np.greater,
    BinaryOp.GE: np.greater_equal,
}


def _float_divide(a: Value, b: Value) -> Value:
    return np.true_divide(a, b)


def _divide(a: Value, b: Value) -> Value:
    """Signed division, truncating towards zero."""
    if np.min(a) >= 0 and np.min(b) > 0:
        return np.floor_divide(a, b)
    quotient = np.floor_divide(a, b)
    inexact = (quotient * b != a) & (b != 0)
    return quotient + (inexact & ((a < 0) != (b < 0))).astype(quotient.dtype)


def _shift(shift: Callable[[Value, Value], Value], operands: DType) -> Callable[[Value, Value], Value]:
    bits = 8 * operands.itemsize
    keeps_sign = operands.kind == "i" and shift is np.right_shift

    def run(a: Value, b: Value) -> Value:
        amount = b.astype(U32)  # a negative amount becomes a large one
        if np.max(amount) < bits:
            return shift(a, amount.astype(operands))
        all_out = (a >> operands.type(bits - 1)) if keeps_sign else operands.type(0)
        inside = amount < bits
        little: NDArray[Any] = np.where(inside, amount, 0).astype(operands)
        found = where(inside, shift(a, little), all_out)
        return operands.type(found) if uniform(a) and uniform(b) else found

    return run


def choose(condition: NDArray[np.bool_], then: Value, otherwise: Value) -> Value:
    """The value `then` or `otherwise`, per thread; records are rows of bytes."""
    if getattr(then, "ndim", 0) == 2 or getattr(otherwise, "ndim", 0) == 2:
        condition = condition[:, None]
    return where(condition, then, otherwise)
