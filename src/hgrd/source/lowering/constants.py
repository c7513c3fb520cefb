"""Folds constants while lowering, so that sizes and bounds come out as numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from hgrd.program.expressions import (
    AddressOf,
    Aggregate,
    Binary,
    BinaryOp,
    Call,
    Conditional,
    Construct,
    Convert,
    Expression,
    FloatConst,
    IntConst,
    Load,
    Place,
    TemporaryPlace,
    Unary,
    UnaryOp,
    VariablePlace,
)
from hgrd.program.program import Function, Global
from hgrd.program.span import Span
from hgrd.program.statements import Block, Return
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


# ---------------------------------------------------------------- constant expressions

_DEEPEST = 32
Number: TypeAlias = "int | tuple[int, ...]"
"""An integer, or the elements of a `std::initializer_list`."""


class ConstantExpressions(Struct, frozen=True):
    """Values of integral constant expressions that call functions of one return statement (C++, [expr.const])."""

    functions: Mapping[str, Function]
    globals: Mapping[str, Global]

    def folded(self, of: Global) -> Global:
        """A constant of an integral type with its number as its initial value, where that is known."""
        type_ = of.variable.type
        if not of.constant or of.initial is None or isinstance(of.initial, IntConst):
            return of
        value = self.value(of.initial, {}) if isinstance(type_, IntType | BoolType) else None
        return of if not isinstance(value, int) else replace(of, initial=IntConst(value, type_, of.initial.span))

    def value(self, e: Expression, local: Mapping[str, Number], depth: int = 0) -> Number | None:
        if depth > _DEEPEST:
            return None
        found: Number | None = None
        match e:
            case IntConst():
                return e.value
            case Convert(operand=operand) | Unary(operand=operand):
                number = self.value(operand, local, depth + 1)
                if isinstance(number, int):
                    constant = IntConst(number, operand.type, e.span)
                    if isinstance(e, Convert):
                        made = converted(constant, e.type, e.span)
                    else:
                        made = unary(e.op, constant, e.type, e.span)
                    found = made.value if isinstance(made, IntConst) else None
            case Binary(left=left, right=right):
                a, b = self.value(left, local, depth + 1), self.value(right, local, depth + 1)
                if isinstance(a, int) and isinstance(b, int):
                    made = binary(e.op, IntConst(a, left.type, e.span), IntConst(b, right.type, e.span), e.type, e.span)
                    found = made.value if isinstance(made, IntConst) else None
            case Conditional():
                chosen = self.value(e.condition, local, depth + 1)
                if chosen is not None:
                    found = self.value(e.then if chosen else e.otherwise, local, depth + 1)
            case Load(place=place) | AddressOf(place=place):
                found = self._held(place, local, depth + 1)
            case Construct(arguments=(one,)):
                found = self.value(one, local, depth + 1)
            case Aggregate(parts=parts):
                elements = [self.value(part, local, depth + 1) for _, part in parts]
                found = tuple(x for x in elements if isinstance(x, int)) if None not in elements else None
            case Call():
                found = self._called(e, local, depth + 1)
            case _:
                pass
        return found

    def _held(self, place: Place, local: Mapping[str, Number], depth: int) -> Number | None:
        match place:
            case TemporaryPlace(value=value):
                return self.value(value, local, depth)
            case VariablePlace(variable=variable) if variable.key in local:
                return local[variable.key]
            case VariablePlace(variable=variable):
                known = self.globals.get(variable.key)
                initial = known.initial if known is not None and known.constant else None
                return None if initial is None else self.value(initial, {}, depth)
            case _:
                return None

    def _called(self, call: Call, local: Mapping[str, Number], depth: int) -> Number | None:
        given = [self.value(argument, local, depth) for argument in call.arguments]
        known = [x for x in given if x is not None]
        if len(known) < len(given):
            return None
        function = self.functions.get(call.function.key)
        if function is not None and isinstance(function.body, Block):
            match function.body.body:
                case (Return(value=result),) if result is not None and len(function.parameters) == len(known):
                    parameters = (p.key for p in function.parameters)
                    return self.value(result, dict(zip(parameters, known, strict=True)), depth)
                case _:
                    return None
        listed = known[0] if len(known) == 1 else tuple(known)
        numbers = tuple(x for x in listed if isinstance(x, int)) if isinstance(listed, tuple) else ()
        if call.function.user_code or call.function.name not in ("max", "min") or not numbers:
            return None
        return max(numbers) if call.function.name == "max" else min(numbers)
