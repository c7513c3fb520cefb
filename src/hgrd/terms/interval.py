"""Interval arithmetic over unbounded integers, with C's truncating division."""

from __future__ import annotations

from typing import Final, TypeAlias

from hgrd.terms.term import Op

Interval: TypeAlias = tuple[int, int]

ANY: Final[Interval] = (-(1 << 63), (1 << 64) - 1)
_SHIFT_CAP: Final = 256


def truncated_div(a: int, b: int) -> int:
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


def truncated_mod(a: int, b: int) -> int:
    return a - b * truncated_div(a, b)


def of_type(bits: int, signed: bool) -> Interval:
    return (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)


def wrapped(value: int, bits: int, signed: bool) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if signed and value >> (bits - 1) else value


def _power(exponent: int) -> int:
    return 1 << min(max(exponent, 0), _SHIFT_CAP)


def _div(a: Interval, b: Interval) -> Interval:
    divisors = [d for d in (b[0], b[1], 1 if b[0] < 1 <= b[1] else 0, -1 if b[0] <= -1 < b[1] else 0) if d]
    if not divisors:
        return (0, 0) if a == (0, 0) else ANY
    corners = [truncated_div(x, d) for x in a for d in divisors]
    if a[0] <= 0 <= a[1]:
        corners.append(0)
    return min(corners), max(corners)


def _mod(a: Interval, b: Interval) -> Interval:
    reach = max(abs(b[0]), abs(b[1]), 1) - 1
    return (max(-reach, a[0]) if a[0] < 0 else 0), (min(reach, a[1]) if a[1] > 0 else 0)


def _bits(op: Op, a: Interval, b: Interval) -> Interval:
    """`&`, `|` and `^` of values of a two's complement type stay in that type."""
    if op is Op.AND_BITS and (a[0] >= 0 or b[0] >= 0):
        return 0, min(high for low, high in (a, b) if low >= 0)
    width = max((v if v >= 0 else -v - 1).bit_length() for v in (*a, *b))
    if a[0] >= 0 and b[0] >= 0:
        return (max(a[0], b[0]) if op is Op.OR_BITS else 0), (1 << width) - 1
    return -(1 << width), (1 << width) - 1


def of_binary(op: Op, a: Interval, b: Interval) -> Interval:
    """The interval of `a op b`; for a division by an interval of only 0, ANY."""
    match op:
        case Op.ADD:
            return a[0] + b[0], a[1] + b[1]
        case Op.SUB:
            return a[0] - b[1], a[1] - b[0]
        case Op.MUL:
            corners = [x * y for x in a for y in b]
            return min(corners), max(corners)
        case Op.DIV:
            return _div(a, b)
        case Op.MOD:
            return _mod(a, b)
        case Op.AND_BITS | Op.OR_BITS | Op.XOR_BITS:
            return _bits(op, a, b)
        case Op.SHL:
            corners = [x * _power(y) for x in a for y in b]
            return min(corners), max(corners)
        case Op.SHR:
            corners = [x >> min(max(y, 0), 4 * _SHIFT_CAP) for x in a for y in b]
            return min(corners), max(corners)
        case Op.MIN:
            return min(a[0], b[0]), min(a[1], b[1])
        case Op.MAX:
            return max(a[0], b[0]), max(a[1], b[1])
        case _:
            raise ValueError(f"not a binary integer operator: {op}")
