"""C arithmetic on single values, exact: a number is a Python int or float, every other value its bytes.

Integers have their type's width (CUDA C++ is two's complement), floats are rounded to their type after every
operation, pointers are integers of 64 bits.  Operations that C leaves undefined act as on the hardware where that is
simple (PTX ISA, "Integer Arithmetic Instructions" and "cvt"), and are an error otherwise.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping
from typing import TypeAlias

import numpy as np

from hgrd.program.expressions import BinaryOp, UnaryOp
from hgrd.program.layout import size_of
from hgrd.program.types import BoolType, FloatType, IntType, PointerType, Record, Type

Scalar: TypeAlias = int | float | bytes
"""Numbers, truth values (0 and 1) and addresses as numbers; records and arrays as their bytes."""

_FLOATS = {16: "<e", 32: "<f", 64: "<d"}
_COMPARISONS = {BinaryOp.EQ, BinaryOp.NE, BinaryOp.LT, BinaryOp.LE, BinaryOp.GT, BinaryOp.GE}


class UndefinedError(Exception):
    """Undefined behaviour of the program, or an operation that the interpreter does not support."""


def pack(value: Scalar, type_: Type, records: Mapping[str, Record]) -> bytes:
    """The bytes of a value of this type in memory."""
    match type_, value:
        case _, bytes():
            return value
        case FloatType(bits=bits), _ if bits in _FLOATS:
            return struct.pack(_FLOATS[bits], rounded(float(value), bits))
        case _:
            size = size_of(type_, records)
            if size is None or isinstance(value, float) or isinstance(type_, FloatType):
                raise UndefinedError(f"a value of type {type_}")
            return (value & ((1 << (8 * size)) - 1)).to_bytes(size, "little")


def unpack(data: bytes, type_: Type) -> Scalar:
    """The value of this type that the bytes represent."""
    match type_:
        case IntType(signed=signed):
            return int.from_bytes(data, "little", signed=signed)
        case BoolType():
            return int(data[0] != 0)
        case PointerType():
            return int.from_bytes(data, "little")
        case FloatType(bits=bits) if bits in _FLOATS:
            number: float = struct.unpack(_FLOATS[bits], data)[0]
            return number
        case _:
            return bytes(data)


def dtype_of(type_: Type) -> np.dtype[np.generic] | None:
    """The dtype of numpy for values of a type; None for records and arrays."""
    match type_:
        case IntType(bits=bits, signed=signed) if bits <= 64:
            return np.dtype(f"{'i' if signed else 'u'}{bits // 8}")
        case BoolType():
            return np.dtype("u1")
        case PointerType():
            return np.dtype("u8")
        case FloatType(bits=bits) if bits in _FLOATS:
            return np.dtype(f"f{bits // 8}")
        case _:
            return None


def rounded(value: float, bits: int) -> float:
    """The nearest number of a floating-point format, infinite where it is too large."""
    if bits == 64:
        return value
    try:
        number: float = struct.unpack(_FLOATS[bits], struct.pack(_FLOATS[bits], value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)
    return number


def wrapped(value: int, type_: Type) -> int:
    """The number reduced to the width of an integer or pointer type."""
    bits, signed = (type_.bits, type_.signed) if isinstance(type_, IntType) else (64, False)
    value &= (1 << bits) - 1
    return value - (1 << bits) if signed and value >> (bits - 1) else value


def number(value: Scalar) -> int | float:
    if isinstance(value, bytes):
        raise UndefinedError("arithmetic on a record")
    return value


def integer(value: Scalar) -> int:
    if not isinstance(value, int):
        raise UndefinedError("an integer is wanted")
    return value


def fit(value: int | float, type_: Type) -> Scalar:
    """The result of exact arithmetic as a value of a type."""
    match type_:
        case FloatType(bits=bits) if bits in _FLOATS:
            return rounded(float(value), bits)
        case BoolType():
            return int(value != 0)
        case IntType() | PointerType() if isinstance(value, int):
            return wrapped(value, type_)
        case _:
            raise UndefinedError(f"arithmetic in type {type_}")


def convert(value: Scalar, target: Type) -> Scalar:
    """A conversion (C++ [conv]); floats out of an integer's range saturate and NaN is 0, as PTX's cvt has it."""
    if isinstance(value, bytes):
        return value
    match target:
        case IntType(bits=bits, signed=signed) if isinstance(value, float):
            low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
            if math.isnan(value):
                return 0
            return int(min(max(value, low), high)) if math.isinf(value) else min(max(int(value), low), high)
        case IntType() | PointerType() | FloatType() | BoolType():
            return fit(value, target)
        case _:
            return value


def unary(op: UnaryOp, value: Scalar, type_: Type) -> Scalar:
    match op:
        case UnaryOp.NEG:
            return fit(-number(value), type_)
        case UnaryOp.BIT_NOT:
            return fit(~integer(value), type_)
        case UnaryOp.NOT:
            return int(not number(value))


def binary(op: BinaryOp, left: Scalar, right: Scalar, type_: Type) -> Scalar:
    """`left op right`, both of the operands' common type, as a value of `type_`."""
    a, b = number(left), number(right)
    if op in _COMPARISONS:
        return _compare(op, a, b)
    if isinstance(a, int) and isinstance(b, int):
        return fit(_whole(op, a, b, type_), type_)
    return fit(_real(op, float(a), float(b)), type_)


def _compare(op: BinaryOp, a: int | float, b: int | float) -> int:
    match op:
        case BinaryOp.EQ:
            return int(a == b)
        case BinaryOp.NE:
            return int(a != b)
        case BinaryOp.LT:
            return int(a < b)
        case BinaryOp.LE:
            return int(a <= b)
        case BinaryOp.GT:
            return int(a > b)
        case _:
            return int(a >= b)


def _whole(op: BinaryOp, a: int, b: int, type_: Type) -> int:
    bits = type_.bits if isinstance(type_, IntType) else 64
    match op:
        case BinaryOp.ADD:
            return a + b
        case BinaryOp.SUB:
            return a - b
        case BinaryOp.MUL:
            return a * b
        case BinaryOp.DIV | BinaryOp.REM:
            if b == 0:
                raise UndefinedError("division by zero")
            quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
            return quotient if op is BinaryOp.DIV else a - quotient * b
        case BinaryOp.AND:
            return a & b
        case BinaryOp.OR:
            return a | b
        case BinaryOp.XOR:
            return a ^ b
        case BinaryOp.SHL:
            return a << b if 0 <= b < bits else 0
        case _:
            return a >> (b if 0 <= b < bits else bits)


def _real(op: BinaryOp, a: float, b: float) -> float:
    match op:
        case BinaryOp.ADD:
            return a + b
        case BinaryOp.SUB:
            return a - b
        case BinaryOp.MUL:
            return a * b
        case BinaryOp.DIV:
            if b == 0:
                return math.nan if a == 0 or math.isnan(a) else math.copysign(math.inf, a) * math.copysign(1, b)
            return a / b
        case _:
            raise UndefinedError(f"{op.value} on floating-point numbers")
