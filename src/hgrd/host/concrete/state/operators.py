"""Operators and conversions of the concrete run, made ready: what is usual is computed at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from hgrd.host.concrete.state.arithmetic import COMPARISONS, FLOATS, INTEGERS, binary, converted, rounded
from hgrd.host.concrete.state.values import Pointer, Value
from hgrd.program.expressions import BinaryOp
from hgrd.program.types import FloatType, IntType, Type

Integers: TypeAlias = Callable[[int, int], int]
_EVEN: Final = (BinaryOp.ADD, BinaryOp.SUB, BinaryOp.MUL, BinaryOp.AND, BinaryOp.OR, BinaryOp.XOR)
_SHIFTS: Final = (BinaryOp.SHL, BinaryOp.SHR)


def conversion(type_: Type) -> Callable[[Value], Value]:
    """The function that converts values to a type; as `converted`."""
    match type_:
        case IntType(signed=False, values=None, range=(_, most)):
            return lambda value: value & most if type(value) is int else converted(value, type_)
        case IntType(range=(low, high)):
            return lambda value: value if type(value) is int and low <= value <= high else converted(value, type_)
        case FloatType(bits=64):
            return lambda value: value if type(value) is float else converted(value, type_)
        case _:
            return lambda value: converted(value, type_)


def operation(op: BinaryOp, type_: Type) -> Callable[[Value, Value], Value]:
    """The function of a binary operator with a result of a type; as `binary`."""
    match type_:
        case _ if op in COMPARISONS:
            return _comparison(op, type_, COMPARISONS[op])
        case IntType(signed=False, values=None) if op in _EVEN:
            return _unsigned_operation(op, type_, INTEGERS[op])
        case IntType() if op in _EVEN:
            return _integer_operation(op, type_, INTEGERS[op])
        case IntType() if op is BinaryOp.DIV:
            return _division(op, type_, int.__floordiv__)
        case IntType() if op is BinaryOp.REM:
            return _division(op, type_, int.__mod__)
        case IntType() if op in _SHIFTS:
            return _shift(op, type_, INTEGERS[op])
        case FloatType() if op in FLOATS:
            return _float_operation(op, type_, FLOATS[op])
        case _:
            return lambda a, b: binary(op, a, b, type_)


def _comparison(op: BinaryOp, type_: Type, test: Callable[[float, float], bool]) -> Callable[[Value, Value], Value]:
    def compare(a: Value, b: Value) -> Value:
        if isinstance(a, int) and isinstance(b, int):
            return 1 if test(a, b) else 0
        if isinstance(a, float) and isinstance(b, float):
            return 1 if test(a, b) else 0
        if isinstance(a, Pointer) and isinstance(b, Pointer) and a.target is b.target:
            x, y = a.offset, b.offset
            if x is not None and y is not None:
                return 1 if test(x, y) else 0
        return binary(op, a, b, type_)

    return compare


def _integer_operation(op: BinaryOp, type_: IntType, function: Integers) -> Callable[[Value, Value], Value]:
    low, high = type_.range

    def compute(a: Value, b: Value) -> Value:
        if isinstance(a, int) and isinstance(b, int) and low <= (result := function(a, b)) <= high:
            return result
        return binary(op, a, b, type_)

    return compute


def _unsigned_operation(op: BinaryOp, type_: IntType, function: Integers) -> Callable[[Value, Value], Value]:
    _, most = type_.range

    def compute(a: Value, b: Value) -> Value:
        if isinstance(a, int) and isinstance(b, int):
            return function(a, b) & most
        return binary(op, a, b, type_)

    return compute


def _division(op: BinaryOp, type_: IntType, function: Integers) -> Callable[[Value, Value], Value]:
    def divide(a: Value, b: Value) -> Value:
        if isinstance(a, int) and isinstance(b, int) and a >= 0 and b > 0:
            return function(a, b)
        return binary(op, a, b, type_)

    return divide


def _shift(op: BinaryOp, type_: IntType, function: Integers) -> Callable[[Value, Value], Value]:
    (_, high), bits = type_.range, type_.bits

    def shift(a: Value, b: Value) -> Value:
        if isinstance(a, int) and isinstance(b, int) and 0 <= b < bits and 0 <= (result := function(a, b)) <= high:
            return result
        return binary(op, a, b, type_)

    return shift


def _float_operation(
    op: BinaryOp, type_: FloatType, function: Callable[[float, float], float]
) -> Callable[[Value, Value], Value]:
    def compute(a: Value, b: Value) -> Value:
        if isinstance(a, float) and isinstance(b, float):
            return rounded(function(a, b), type_)
        return binary(op, a, b, type_)

    return compute
