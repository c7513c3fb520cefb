"""Folds constants while lowering, so that sizes and bounds come out as numbers."""

from __future__ import annotations

from hgrd.program.expressions import Binary, BinaryOp, Convert, Expression, FloatConst, IntConst, Unary, UnaryOp
from hgrd.program.span import Span
from hgrd.program.types import BOOL, BoolType, FloatType, IntType, Type


def wrapped(value: int, type_: Type) -> int:
    """The value as an integer of that type holds it."""
    match type_:
        case BoolType():
            return int(value != 0)
        case IntType(bits=bits, signed=signed):
            value &= (1 << bits) - 1
            return value - (1 << bits) if signed and value >> (bits - 1) else value
        case _:
            return value


def converted(operand: Expression, type_: Type, span: Span, explicit: bool = False) -> Expression:
    """The operand converted to `type_`."""
    if operand.type == type_:
        return operand
    match operand, type_:
        case IntConst(value=value), IntType() | BoolType():
            return IntConst(wrapped(value, type_), type_, span)
        case IntConst(value=value), FloatType():
            return FloatConst(float(value), type_, span)
        case FloatConst(value=value), FloatType():
            return FloatConst(value, type_, span)
        case _:
            return Convert(operand, type_, span, explicit)


def unary(op: UnaryOp, operand: Expression, type_: Type, span: Span) -> Expression:
    match op, operand:
        case UnaryOp.NEG, IntConst(value=value):
            return IntConst(wrapped(-value, type_), type_, span)
        case UnaryOp.NEG, FloatConst(value=value):
            return FloatConst(-value, type_, span)
        case UnaryOp.BIT_NOT, IntConst(value=value):
            return IntConst(wrapped(~value, type_), type_, span)
        case UnaryOp.NOT, IntConst(value=value):
            return IntConst(int(value == 0), type_, span)
        case _:
            return Unary(op, operand, type_, span)


def binary(op: BinaryOp, left: Expression, right: Expression, type_: Type, span: Span) -> Expression:
    if isinstance(left, IntConst) and isinstance(right, IntConst) and isinstance(type_, IntType | BoolType):
        value = _computed(op, left.value, right.value)
        if value is not None:
            return IntConst(wrapped(value, type_), type_, span)
    return Binary(op, left, right, type_, span)


def _computed(op: BinaryOp, left: int, right: int) -> int | None:
    match op:
        case BinaryOp.ADD:
            return left + right
        case BinaryOp.SUB:
            return left - right
        case BinaryOp.MUL:
            return left * right
        case BinaryOp.DIV | BinaryOp.REM:
            if right == 0:
                return None
            quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
            return quotient if op is BinaryOp.DIV else left - quotient * right
        case BinaryOp.AND:
            return left & right
        case BinaryOp.OR:
            return left | right
        case BinaryOp.XOR:
            return left ^ right
        case BinaryOp.SHL:
            return left << right if 0 <= right < 128 else None
        case BinaryOp.SHR:
            return left >> right if 0 <= right < 128 else None
        case BinaryOp.EQ:
            return int(left == right)
        case BinaryOp.NE:
            return int(left != right)
        case BinaryOp.LT:
            return int(left < right)
        case BinaryOp.LE:
            return int(left <= right)
        case BinaryOp.GT:
            return int(left > right)
        case BinaryOp.GE:
            return int(left >= right)


def zero(type_: Type, span: Span) -> Expression | None:
    """The zero of a number type."""
    match type_:
        case IntType() | BoolType():
            return IntConst(0, type_, span)
        case FloatType():
            return FloatConst(0.0, type_, span)
        case _:
            return None


def truth(operand: Expression, span: Span) -> Expression:
    return converted(operand, BOOL, span)
