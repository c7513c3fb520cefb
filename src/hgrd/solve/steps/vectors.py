"""Terms over numpy arrays: a whole launch at a time.

All arrays are int64, so large values wrap without notice: results are candidates, never answers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hgrd.terms import Op, Symbol, Term
from hgrd.terms.rewrite import bottom_up

Column: TypeAlias = "NDArray[Any]"
ColumnReads: TypeAlias = Callable[[str, list[Column]], Column]

_INT64: Final = (-(1 << 63), (1 << 63) - 1)


def _divide(a: Column, b: Column) -> Column:
    b = np.where(b == 0, 1, b)
    quotient = np.abs(a) // np.abs(b)
    return np.where((a < 0) == (b < 0), quotient, -quotient)


def _remainder(a: Column, b: Column) -> Column:
    b = np.where(b == 0, 1, b)
    rest = np.abs(a) % np.abs(b)
    return np.where(a < 0, -rest, rest)


def _shift_left(a: Column, b: Column) -> Column:
    return np.left_shift(a, np.clip(b, 0, 62))


def _shift_right(a: Column, b: Column) -> Column:
    return np.right_shift(a, np.clip(b, 0, 63))


def _ones_below(a: Column, n: Column) -> Column:
    mask = np.where(n >= 63, -1, np.left_shift(np.int64(1), np.clip(n, 0, 62)) - 1)
    return np.bitwise_count((a & mask).astype(np.uint64)).astype(np.int64)


def _bit_length(a: Column) -> Column:
    length = np.zeros_like(a)
    for step in (32, 16, 8, 4, 2, 1):
        upper = a >> step
        length = np.where(upper > 0, length + step, length)
        a = np.where(upper > 0, upper, a)
    return length + (a > 0)


_UNARY: Final[Mapping[Op, Callable[[Any], Any]]] = {
    Op.NOT: np.logical_not,
    Op.BIT_LENGTH: _bit_length,
    Op.LOWEST_ONE: lambda a: _bit_length(a & -a),
}
_BINARY: Final[Mapping[Op, Callable[[Any, Any], Any]]] = {
    Op.ADD: np.add,
    Op.SUB: np.subtract,
    Op.MUL: np.multiply,
    Op.DIV: _divide,
    Op.MOD: _remainder,
    Op.AND_BITS: np.bitwise_and,
    Op.OR_BITS: np.bitwise_or,
    Op.XOR_BITS: np.bitwise_xor,
    Op.SHL: _shift_left,
    Op.SHR: _shift_right,
    Op.ONES_BELOW: _ones_below,
    Op.GCD: np.gcd,
    Op.MIN: np.minimum,
    Op.MAX: np.maximum,
    Op.EQ: np.equal,
    Op.LE: np.less_equal,
    Op.LT: np.less,
}


class Columns:
    """Compiled terms: `roots` are compiled once and evaluated on many columns."""

    def __init__(self, roots: Sequence[Term]) -> None:
        self._nodes = list(bottom_up(roots))
        slots = {t: i for i, t in enumerate(self._nodes)}
        self._arguments = [tuple(slots[a] for a in t.args) for t in self._nodes]
        self._roots = [slots[r] for r in roots]

    def run(self, symbols: Mapping[Symbol, Column], reads: ColumnReads) -> list[Column]:
        """The values of the roots, with `symbols` broadcast against each other."""
        values: list[Column] = []
        with np.errstate(all="ignore"):
            for t, slots in zip(self._nodes, self._arguments, strict=True):
                values.append(_step(t, [values[i] for i in slots], symbols, reads))
        return [values[i] for i in self._roots]


def _step(t: Term, a: list[Column], symbols: Mapping[Symbol, Column], reads: ColumnReads) -> Column:
    simple = _BINARY.get(t.op)
    if simple is not None:
        return simple(a[0], a[1])
    unary = _UNARY.get(t.op)
    if unary is not None:
        return unary(a[0])
    match t.op:
        case Op.VAR:
            return symbols[t.symbol]
        case Op.CONST:
            return np.asarray(min(max(t.value, _INT64[0]), _INT64[1]), dtype=np.int64)
        case Op.TRUE | Op.FALSE:
            return np.asarray(t.op is Op.TRUE)
        case Op.AND | Op.OR:
            join = np.logical_and if t.op is Op.AND else np.logical_or
            result = a[0]
            for x in a[1:]:
                result = join(result, x)
            return result
        case Op.ITE:
            return np.where(a[0], a[1], a[2])
        case Op.WRAP:
            return _wrap(a[0], *t.wrap_to[:2])
        case _:
            return np.clip(reads(t.array, a), max(t.low, _INT64[0]), min(t.high, _INT64[1]))


def _wrap(a: Column, bits: int, signed: bool) -> Column:
    if bits >= 63:
        return a
    half = 1 << (bits - 1) if signed else 0
    return ((a + half) & ((1 << bits) - 1)) - half
