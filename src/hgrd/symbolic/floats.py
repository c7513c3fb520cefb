"""Floating-point values as terms: exact rationals where they are known, uninterpreted functions elsewhere."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from hgrd.program.expressions import BinaryOp
from hgrd.program.types import BoolType, FloatType, Type
from hgrd.symbolic import integers
from hgrd.symbolic.values import (
    FloatValue,
    Rational,
    Value,
)
from hgrd.terms import (
    Op,
    Term,
    add,
    as_int,
    const,
    div,
    ite,
    le,
    maximum,
    minimum,
    mul,
    read,
    sub,
)

_PRECISION = {16: 11, 32: 24, 64: 53}  # binary digits (IEEE 754)
_KEEPING_INFINITY = {"ceil of", "floor of", "float neg", *(f"float{bits} of" for bits in _PRECISION)}
_OF_INTEGERS = {"float", *(f"float{bits} of int" for bits in _PRECISION)}
_QUOTIENTS = {"float /", "float16 /", "float64 /"}


def computed(name: str, type_: Type) -> str:
    """The uninterpreted function of a floating-point operation; each precision rounds differently, so has its own."""
    return (
        f"float {name}" if type_ == FloatType(32) or not isinstance(type_, FloatType) else f"float{type_.bits} {name}"
    )


def binary(op: BinaryOp, a: FloatValue, b: FloatValue, type_: Type) -> Value | None:
    """`a op b` in `type_`; None for a comparison where an operand is not known exactly."""
    if integers.is_comparison(op):
        if a.exact is None or b.exact is None:
            return None
        return integers.binary(op, mul(a.exact[0], const(b.exact[1])), mul(b.exact[0], const(a.exact[1])), BoolType())
    exact = _exact(op, a.exact, b.exact)
    rounds = type_ in (FloatType(32), FloatType(64))
    near = _near_product(a, b) if op is BinaryOp.MUL and exact is None and rounds else None
    return FloatValue(read(computed(op.value, type_), a.key, b.key), exact, near)


def _near_product(a: FloatValue, b: FloatValue) -> tuple[Rational, Rational] | None:
    """Bounds of the product of an integer and a constant that is no fraction of small numbers; None for others."""
    for whole, factor in ((a, b), (b, a)):
        if whole.exact is not None and whole.exact[1] == 1 and factor.near is not None:
            (x, d), (y, e) = factor.near
            if x.is_const and y.is_const:
                return (mul(whole.exact[0], x), d), (mul(whole.exact[0], y), e)
    return None


def _exact(op: BinaryOp, a: Rational | None, b: Rational | None) -> Rational | None:
    """The result as a fraction; None where an operand is unknown, or rounded after a division by no power of two."""
    if a is None or b is None or not (_power_of_two(a[1]) and _power_of_two(b[1])):
        return None
    (n, d), (m, e) = a, b
    match op:
        case BinaryOp.ADD:
            return add(mul(n, const(e)), mul(m, const(d))), d * e
        case BinaryOp.SUB:
            return sub(mul(n, const(e)), mul(m, const(d))), d * e
        case BinaryOp.MUL:
            return mul(n, m), d * e
        case BinaryOp.DIV if m.is_const and m.value > 0:
            return mul(n, const(e)), d * m.value
        case _:
            return None


def convert(value: Value, source: Type, target: FloatType) -> FloatValue | None:
    """The number in `target`, rounded where the type may not represent it (C++ [conv.double], [conv.fpint])."""
    match value:
        case Term():
            number = as_int(value)
            exact = (number, 1)
            name = "float" if _has(target, exact) else f"float{target.bits} of int"
            return FloatValue(read(name, number), exact)
        case FloatValue(key=key, exact=exact):
            narrower = isinstance(source, FloatType) and source.bits > target.bits
            if not narrower or (exact is not None and _has(target, exact)):
                return replace(value, key=_widened(key, target))
            near = value.near if target.bits >= 32 else None  # which rounding to 11 digits could get past
            return FloatValue(read(f"float{target.bits} of", key), exact, near)
        case _:
            return None


def _widened(key: Term, target: FloatType) -> Term:
    """The key of a value in a wider type: an integer rounded to 24 digits differs from the same integer in double."""
    rounded_before = key.op is Op.READ and key.array == "float32 of int" and target.bits > 32
    return read(f"float{target.bits} of", key) if rounded_before else key


def _has(type_: FloatType, number: Rational) -> bool:
    """Whether a type certainly represents a number exactly."""
    numerator, denominator = number
    most = 1 << _PRECISION.get(type_.bits, 53)
    return _power_of_two(denominator) and -most <= numerator.low and numerator.high <= most


def _power_of_two(number: int) -> bool:
    return number & (number - 1) == 0


def divisors(value: FloatValue) -> Iterator[Term]:
    """Integer divisors of a quotient: a zero would make it infinite, or NaN."""
    key = value.key
    while key.op is Op.READ and len(key.args) == 1 and key.array in _KEEPING_INFINITY:
        (key,) = key.args
    if key.op is Op.READ and key.array in _QUOTIENTS:
        for divisor in key.args[1:]:
            if divisor.op is Op.READ and divisor.array in _OF_INTEGERS:
                yield from divisor.args


def rounded(value: FloatValue, *, up: bool) -> FloatValue:
    """ceil or floor."""
    key = read("ceil of" if up else "floor of", value.key)
    exact = None if value.exact is None else _rounded(value.exact, up=up)
    near = None if value.near is None else (_rounded(value.near[0], up=up), _rounded(value.near[1], up=up))
    return FloatValue(key, exact, near)


def _rounded(number: Rational, *, up: bool) -> Rational:
    numerator, denominator = number
    if denominator == 1:
        return number
    bias = const(denominator - 1)
    positive = div(add(numerator, bias), const(denominator)) if up else div(numerator, const(denominator))
    negative = div(numerator, const(denominator)) if up else div(sub(numerator, bias), const(denominator))
    return ite(le(const(0), numerator), positive, negative), 1


def nearest(value: FloatValue) -> FloatValue:
    """round: the nearest integer, and of two the one further from zero (C, 7.12.9.6)."""
    exact = None if value.exact is None else _nearest(value.exact)
    near = None if value.near is None else (_nearest(value.near[0]), _nearest(value.near[1]))
    return FloatValue(read("round of", value.key), exact, near)


def _nearest(number: Rational) -> Rational:
    numerator, denominator = number
    if denominator == 1:
        return number
    twice, half, whole = mul(numerator, const(2)), const(denominator), const(2 * denominator)
    return ite(le(const(0), numerator), div(add(twice, half), whole), div(sub(twice, half), whole)), 1


def extreme(a: FloatValue, b: FloatValue, *, greatest: bool) -> FloatValue:
    """fmin or fmax."""
    key = read("float max" if greatest else "float min", a.key, b.key)
    if a.exact is None or b.exact is None:
        return FloatValue(key)
    (n, d), (m, e) = a.exact, b.exact
    x, y = mul(n, const(e)), mul(m, const(d))
    return FloatValue(key, ((maximum if greatest else minimum)(x, y), d * e))
