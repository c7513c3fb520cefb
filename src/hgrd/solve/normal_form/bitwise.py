"""Bit operations and shifts read as arithmetic, where they have such a reading."""

from __future__ import annotations

from collections.abc import Iterator

from hgrd.solve.normal_form import poly
from hgrd.solve.normal_form.bounds import Span
from hgrd.solve.normal_form.builder import Builder, Value
from hgrd.solve.normal_form.division import Divider
from hgrd.solve.normal_form.formula import at_most
from hgrd.solve.normal_form.poly import ONE, ZERO, Poly
from hgrd.terms import Op

_MOST_RUNS = 8
_MOST_CASES = 64


def bit_operation(op: Op, a: Value, b: Value, span: Span, builder: Builder, divider: Divider) -> Value:
    """a & b, a | b or a ^ b; an uninterpreted function with simple bounds where there is no arithmetic reading."""
    for x, y in ((a, b), (b, a)):
        mask = poly.as_constant(y.poly)
        common = _masked(x, mask, divider) if mask is not None else None
        if common is None and op is Op.AND_BITS:
            common = _modulo_power(x, y, builder, divider)
        if common is not None:
            return _from_common(op, x, y, common)
    builder.opaque_bits = True
    first, second = sorted((a, b), key=lambda v: poly.key(v.poly))
    facts = a.facts | b.facts | span.facts
    result = Value(builder.function(op.value, [first, second], span), facts)
    _bound_opaque(op, a, b, result, builder)
    return result


def _from_common(op: Op, x: Value, y: Value, common: Value) -> Value:
    """x | y == x + y - (x & y) and x ^ y == x + y - 2 * (x & y)."""
    if op is Op.AND_BITS:
        return common
    total = poly.plus(x.poly, y.poly)
    shared = 1 if op is Op.OR_BITS else 2
    return Value(poly.plus(total, common.poly, -shared), x.facts | y.facts | common.facts)


def _runs(mask: int) -> Iterator[tuple[int, int]]:
    """The runs of ones as (position, length), lowest first."""
    at = 0
    while mask:
        skip = (mask & -mask).bit_length() - 1
        mask >>= skip
        length = (~mask & (mask + 1)).bit_length() - 1
        yield at + skip, length
        mask >>= length
        at += skip + length


def _masked(x: Value, mask: int, divider: Divider) -> Value | None:
    """x & mask as a sum over the runs of ones in the mask."""
    if mask < 0:
        rest = _masked(x, ~mask, divider)
        return None if rest is None else Value(poly.minus(x.poly, rest.poly), rest.facts | x.facts)
    runs = list(_runs(mask))
    if len(runs) > _MOST_RUNS:
        return None
    total, facts = ZERO, x.facts
    for position, length in runs:
        upper = x
        if position:
            shifted = divider.divide(x, Value(poly.constant(1 << position)), floor=True)
            upper = Value(shifted.quotient, shifted.facts)
        part = divider.divide(upper, Value(poly.constant(1 << length)), floor=True)
        total = poly.plus(total, part.remainder, 1 << position)
        facts |= part.facts
    return Value(total, facts)


def _modulo_power(x: Value, y: Value, builder: Builder, divider: Divider) -> Value | None:
    """x & (n - 1) == x mod n for a power of two n."""
    n = poly.plus(y.poly, ONE)
    facts = power_of_two(n, builder)
    if facts is None:
        return None
    result = divider.divide(x, Value(n, y.facts | facts), floor=True)
    return Value(result.remainder, result.facts | facts)


def power_of_two(n: Poly, builder: Builder) -> int | None:
    """The facts that make `n` a power of two; None if it is not known to be one."""
    if len(n) != 1:
        return None
    ((mono, c),) = n.items()
    if c < 1 or c & (c - 1) or any(a not in builder.powers for a in mono):
        return None
    facts = 0
    for a in mono:
        facts |= builder.powers[a]
    return facts


def _bound_opaque(op: Op, a: Value, b: Value, result: Value, builder: Builder) -> None:
    """Bounds of the result for non-negative operands."""
    sides = (builder.span(a.poly), builder.span(b.poly))
    facts = result.facts | sides[0].facts | sides[1].facts
    if min(sides[0].low, sides[1].low) < 0:
        return
    if op is Op.AND_BITS:
        builder.claim(at_most(result.poly, a.poly), facts)
        builder.claim(at_most(result.poly, b.poly), facts)
        return
    builder.claim(at_most(result.poly, poly.plus(a.poly, b.poly)), facts)
    for x, y in ((a.poly, b.poly), (b.poly, a.poly)):
        least = x if op is Op.OR_BITS else poly.minus(x, y)
        builder.claim(at_most(least, result.poly), facts)


def shift_left(a: Value, count: Value, builder: Builder) -> Value:
    """a * 2 ** count"""
    reach = builder.span(count.poly)
    facts = a.facts | count.facts | reach.facts
    scale = builder.power(count.poly, reach._replace(facts=facts), _MOST_CASES, saturate=False)
    return builder.product(Value(a.poly, facts), Value(scale, facts))


def shift_right(a: Value, count: Value, span: Span, builder: Builder, divider: Divider) -> Value:
    """floor(a / 2 ** count)"""
    fixed = poly.as_constant(count.poly)
    if fixed is not None and 0 <= fixed <= 4096:
        result = divider.divide(a, Value(poly.constant(1 << fixed), count.facts), floor=True)
        return Value(result.quotient, result.facts)
    reach, size = builder.span(count.poly), builder.span(a.poly)
    facts = a.facts | count.facts | reach.facts | size.facts
    top = _logarithm(poly.as_constant(a.poly))
    if top is not None and reach.low >= 0 and reach.high <= top:
        left = poly.minus(poly.constant(top), count.poly)
        return Value(builder.power(left, Span(top - reach.high, top - reach.low, facts), top + 1, saturate=True), facts)
    cap = max(abs(size.low), abs(size.high)).bit_length() + 1
    if cap > _MOST_CASES * 2:
        return Value(builder.function(Op.SHR.value, [a, count], span), facts | span.facts)
    scale = builder.power(count.poly, reach._replace(facts=facts), cap, saturate=True)
    result = divider.divide(a, Value(scale, facts), floor=True)
    if size.low >= 0:
        builder.claim(at_most(result.quotient, a.poly), facts)
    return Value(result.quotient, result.facts)


def _logarithm(c: int | None) -> int | None:
    """The exponent of a power of two; None for other numbers and for None."""
    return c.bit_length() - 1 if c is not None and c > 0 and c & (c - 1) == 0 else None
