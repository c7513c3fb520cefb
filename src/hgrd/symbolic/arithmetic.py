"""C's operators and conversions on symbolic values of any type."""

from __future__ import annotations

from hgrd.program.expressions import BinaryOp, UnaryOp
from hgrd.program.types import BoolType, FloatType, IntType, PointerType, Type
from hgrd.symbolic import floats, integers, pointers
from hgrd.symbolic.values import (
    NULL,
    Choice,
    FloatValue,
    FunctionValue,
    NullValue,
    Pointer,
    Value,
)
from hgrd.terms import (
    FALSE,
    TRUE,
    Term,
    as_bool,
    as_int,
    const,
    div,
    ite,
    maximum,
    minimum,
    ne,
    neg,
    negate,
    read,
)


def binary(op: BinaryOp, a: Value, b: Value, type_: Type) -> Value | None:
    """`a op b` in `type_`; None where nothing is known of the result."""
    match a, b:
        case Term(), Term():
            return integers.binary(op, a, b, type_)
        case FloatValue(), FloatValue():
            return floats.binary(op, a, b, type_)
        case _ if integers.is_comparison(op):
            return pointers.compare(op, a, b)
        case _:
            return None


def unary(op: UnaryOp, a: Value, type_: Type) -> Value | None:
    """`op a` in `type_`; None where nothing is known of the result."""
    match a, op:
        case Term(), UnaryOp.NOT:
            return negate(as_bool(a))
        case Term(), UnaryOp.NEG:
            return integers.reduced(neg(as_int(a)), type_)
        case Term(), UnaryOp.BIT_NOT:
            return integers.complement(as_int(a), type_)
        case FloatValue(), UnaryOp.NEG:
            exact = None if a.exact is None else (neg(a.exact[0]), a.exact[1])
            return FloatValue(read("float neg", a.key), exact)
        case _, UnaryOp.NOT:
            truth = truth_of(a)
            return None if truth is None else negate(truth)
        case _:
            return None


def truth_of(value: Value) -> Term | None:
    """A value as a condition; None where nothing is known of it."""
    match value:
        case Term():
            return as_bool(value)
        case Pointer():
            return negate(pointers.is_null(value))
        case FunctionValue():
            return TRUE
        case NullValue():
            return FALSE
        case Choice(condition=c, then=a, otherwise=b):
            x, y = truth_of(a), truth_of(b)
            return None if x is None or y is None else ite(c, x, y)
        case FloatValue(exact=(numerator, _)):
            return ne(numerator, const(0))
        case _:
            return None


def convert(value: Value, source: Type, target: Type, *, explicit: bool) -> Value | None:
    """`(target) value`; None where nothing is known of the result."""
    match target:
        case BoolType():
            return truth_of(value)
        case IntType():
            return _to_integer(value, source, target, explicit=explicit)
        case FloatType():
            return floats.convert(value, source, target)
        case PointerType():
            if isinstance(value, Term) and value.is_const and value.value == 0:
                return NULL
            return None if isinstance(value, Term | FloatValue) else value
        case _:
            return value


def _to_integer(value: Value, source: Type, target: IntType, *, explicit: bool) -> Term | None:
    match value:
        case Term():
            return integers.narrow(as_int(value), source, target, explicit=explicit)
        case FloatValue(exact=(numerator, denominator)):
            return integers.reduced(div(numerator, const(denominator)), target)
        case _:
            return None


def extreme(a: Value, b: Value, *, greatest: bool) -> Value | None:
    """min or max; None where nothing is known of it."""
    match a, b:
        case Term(), Term():
            return (maximum if greatest else minimum)(as_int(a), as_int(b))
        case FloatValue(), FloatValue():
            return floats.extreme(a, b, greatest=greatest)
        case _:
            return None
