"""Arithmetic of the concrete run: C's conversions and operators on known numbers; the rest is unknown."""

from __future__ import annotations

import math
import operator
import struct
from collections.abc import Callable, Mapping
from typing import Final

from hgrd.host.concrete.state.values import NULL, UNKNOWN, Callee, Null, Pointer, Value
from hgrd.program.expressions import BinaryOp, UnaryOp
from hgrd.program.types import BoolType, FloatType, IntType, PointerType, Type

_SINGLE: Final = 32
_FLOAT: Final = struct.Struct("f")


def as_type(value: Value, type_: Type) -> Value:
    """A value that was stored by another type of the same size, read by this one."""
    match type_:
        case IntType():
            return cut(value, type_) if type(value) is int else UNKNOWN
        case FloatType():
            return value if isinstance(value, float) else UNKNOWN
        case BoolType():
            return value if type(value) is int and value in (0, 1) else UNKNOWN
        case PointerType():
            return value if isinstance(value, Pointer | Null | Callee) else UNKNOWN
        case _:
            return value


def cut(number: int, type_: IntType) -> int:
    """The number that is congruent to this one in an integer type."""
    bits = type_.bits
    number &= (1 << bits) - 1
    return number - (1 << bits) if type_.signed and number >> (bits - 1) else number


def rounded(number: float, type_: FloatType) -> Value:
    """A number as a floating-point number of a type."""
    if type_.bits == _SINGLE:
        try:
            return _FLOAT.unpack(_FLOAT.pack(number))[0]
        except OverflowError:
            return math.inf if number > 0 else -math.inf
    return number if type_.bits == 2 * _SINGLE else UNKNOWN


def converted(value: Value, type_: Type) -> Value:
    """A value converted to a type (C++ [conv])."""
    if type(value) is int and isinstance(type_, IntType):
        return cut(value, type_)
    match value, type_:
        case int(), IntType():
            return cut(value, type_)
        case int() | float(), BoolType():
            return int(value != 0)
        case Pointer() | Callee(), BoolType():
            return 1
        case Null(), BoolType():
            return 0
        case int(), FloatType():
            return rounded(float(value), type_) if abs(value) < 1 << 1000 else UNKNOWN
        case float(), FloatType():
            return rounded(value, type_)
        case float(), IntType():
            whole = math.trunc(value) if math.isfinite(value) else None
            return whole if whole is not None and type_.range[0] <= whole <= type_.range[1] else UNKNOWN
        case Pointer() | Null() | Callee(), PointerType():
            return value
        case 0, PointerType():
            return NULL
        case _:
            return UNKNOWN


def unary(op: UnaryOp, value: Value, type_: Type) -> Value:
    """The value of a unary operator."""
    match op, value:
        case UnaryOp.NOT, int():
            return int(not value)
        case UnaryOp.BIT_NOT, int():
            return _number(~value, type_)
        case UnaryOp.NEG, int():
            return _number(-value, type_)
        case UnaryOp.NEG, float():
            return -value
        case _:
            return UNKNOWN


def binary(op: BinaryOp, a: Value, b: Value, type_: Type) -> Value:
    """The value of a binary operator; unknown where C gives it no meaning."""
    if type(a) is int and type(b) is int:
        comparison = COMPARISONS.get(op)
        if comparison is not None:
            return int(comparison(a, b))
        function = INTEGERS.get(op)
        if function is None or (b == 0 and op in (BinaryOp.DIV, BinaryOp.REM)):
            return UNKNOWN
        if op in (BinaryOp.SHL, BinaryOp.SHR) and not (isinstance(type_, IntType) and 0 <= b < type_.bits):
            return UNKNOWN
        return _number(function(a, b), type_, wraps=op is BinaryOp.SHL)
    if op in COMPARISONS:
        return _compared(op, a, b)
    if isinstance(a, float) and isinstance(b, float) and isinstance(type_, FloatType):
        return _float(op, a, b, type_)
    return UNKNOWN


def _number(number: int, type_: Type, *, wraps: bool = False) -> Value:
    """A result in its type; a signed one that does not fit has no meaning."""
    if isinstance(type_, IntType):
        bits = type_.bits
        if not type_.signed:
            return number & ((1 << bits) - 1)
        if -(1 << (bits - 1)) <= number < 1 << (bits - 1):
            return number
        return cut(number, type_) if wraps else UNKNOWN
    match type_:
        case BoolType():
            return int(number != 0)
        case _:
            return UNKNOWN


def _float(op: BinaryOp, a: float, b: float, type_: FloatType) -> Value:
    if op in FLOATS:
        return rounded(FLOATS[op](a, b), type_)
    return rounded(a / b, type_) if op is BinaryOp.DIV and b != 0 else UNKNOWN


def _quotient(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


INTEGERS: Final[Mapping[BinaryOp, Callable[[int, int], int]]] = {
    BinaryOp.ADD: int.__add__,
    BinaryOp.SUB: int.__sub__,
    BinaryOp.MUL: int.__mul__,
    BinaryOp.DIV: _quotient,
    BinaryOp.REM: lambda a, b: a - b * _quotient(a, b),
    BinaryOp.AND: int.__and__,
    BinaryOp.OR: int.__or__,
    BinaryOp.XOR: int.__xor__,
    BinaryOp.SHL: int.__lshift__,
    BinaryOp.SHR: int.__rshift__,
}
FLOATS: Final[Mapping[BinaryOp, Callable[[float, float], float]]] = {
    BinaryOp.ADD: float.__add__,
    BinaryOp.SUB: float.__sub__,
    BinaryOp.MUL: float.__mul__,
}


def _compared(op: BinaryOp, a: Value, b: Value) -> Value:
    match a, b:
        case (int() | float(), int() | float()):
            return int(COMPARISONS[op](a, b))
        case Pointer(target=s, offset=int(x)), Pointer(target=t, offset=int(y)) if s is t:
            return int(COMPARISONS[op](x, y))
        case Pointer(target=s), Pointer(target=t) if s is t:
            return UNKNOWN
        case (Pointer() | Callee() | Null(), Pointer() | Callee() | Null()) if op in (BinaryOp.EQ, BinaryOp.NE):
            return int((a == b) == (op is BinaryOp.EQ))
        case _:
            return UNKNOWN


COMPARISONS: Final[Mapping[BinaryOp, Callable[[float, float], bool]]] = {
    BinaryOp.EQ: operator.eq,
    BinaryOp.NE: operator.ne,
    BinaryOp.LT: operator.lt,
    BinaryOp.LE: operator.le,
    BinaryOp.GT: operator.gt,
    BinaryOp.GE: operator.ge,
}
