"""Integer intrinsics as terms: counts and positions of bits, and rearranged, multiplied and averaged words.

CUDA Math API, "Integer Intrinsics"; GCC, "Other Built-in Functions" for `__builtin_*`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from hgrd.terms import (
    Term,
    add,
    bit_and,
    bit_length,
    conj,
    const,
    eq,
    ite,
    le,
    lowest_one,
    lt,
    minimum,
    mul,
    ones_below,
    shl,
    shr,
    sub,
    wrap,
)
from hgrd.terms.bits import reversed_bits

_One: TypeAlias = Callable[[Term], Term]
_Two: TypeAlias = Callable[[Term, Term], Term]
_Three: TypeAlias = Callable[[Term, Term, Term], Term | None]


def integer_function(name: str, arguments: tuple[Term, ...]) -> Term | None:
    """The value of an integer intrinsic; None of other functions, and where the arguments do not tell it.

    The arguments are numbers of the parameters' types, and so is the value one of the result's type.
    """
    match arguments:
        case (x,) if name in _OF_ONE:
            return _OF_ONE[name](x)
        case (x, y) if name in _OF_TWO:
            return _OF_TWO[name](x, y)
        case (x, y, z) if name in _OF_THREE:
            return _OF_THREE[name](x, y, z)
        case _:
            return None


def _word(x: Term, bits: int) -> Term:
    """The bits of a value as an unsigned number."""
    return wrap(x, bits, False, soft=False)


def standard_bit_function(name: str, x: Term, bits: int) -> Term | None:
    """The value of a function of the header <bit> at an unsigned number of so many bits; None of other functions."""
    match name:
        case "has_single_bit":
            return conj(lt(const(0), x), eq(bit_and(x, sub(x, const(1))), const(0)))
        case "popcount":
            return ones_below(x, const(bits))
        case "bit_width":
            return bit_length(x)
        case "bit_floor":
            return ite(eq(x, const(0)), const(0), shl(const(1), sub(bit_length(x), const(1))))
        case "bit_ceil":
            return ite(le(x, const(1)), const(1), shl(const(1), bit_length(sub(x, const(1)))))
        case "countl_zero":
            return sub(const(bits), bit_length(x))
        case "countl_one":
            return sub(const(bits), bit_length(_complement(x, bits)))
        case "countr_zero":
            return ite(eq(x, const(0)), const(bits), sub(lowest_one(x), const(1)))
        case "countr_one":
            return ite(eq(_complement(x, bits), const(0)), const(bits), sub(lowest_one(_complement(x, bits)), const(1)))
        case _:
            return None


def _complement(x: Term, bits: int) -> Term:
    return sub(const((1 << bits) - 1), x)


def _population(bits: int) -> _One:
    return lambda x: ones_below(_word(x, bits), const(bits))


def _leading_zeros(bits: int) -> _One:
    return lambda x: sub(const(bits), bit_length(_word(x, bits)))


def _first_set(bits: int) -> _One:
    return lambda x: lowest_one(_word(x, bits))


def _trailing_zeros(bits: int) -> _One:
    return lambda x: sub(lowest_one(_word(x, bits)), const(1))


def _reversed(bits: int) -> _One:
    return lambda x: reversed_bits(_word(x, bits), bits)


def _high(bits: int, signed: bool) -> _Two:
    """The upper half of a product."""
    return lambda a, b: wrap(shr(mul(a, b), const(bits)), bits, signed, soft=False)


def _average(up: int) -> _Two:
    return lambda a, b: shr(add(a, b, const(up)), const(1))


def _distance(a: Term, b: Term, c: Term) -> Term:
    """|a - b| + c, modulo 2**32."""
    return _word(add(ite(le(b, a), sub(a, b), sub(b, a)), c), 32)


def _funnel(left: bool, clamped: bool) -> _Three:
    """Two words as one of 64 bits, shifted; by at most 32, or by the count modulo 32."""

    def shifted(low: Term, high: Term, count: Term) -> Term:
        both = add(mul(_word(high, 32), const(1 << 32)), _word(low, 32))
        by = minimum(count, const(32)) if clamped else bit_and(count, const(31))
        return _word(shr(shl(both, by), const(32)) if left else shr(both, by), 32)

    return shifted


def _byte_permutation(low: Term, high: Term, selector: Term) -> Term | None:
    """Four of the eight bytes of two words, for a constant selector; with bit 3 of a digit its sign replicated."""
    if not selector.is_const:
        return None
    both = add(mul(_word(high, 32), const(1 << 32)), _word(low, 32))
    result = const(0)
    for i in range(4):
        digit = selector.value >> (4 * i)
        byte = bit_and(shr(both, const(8 * (digit & 7))), const(0xFF))
        if digit & 8:
            byte = mul(shr(byte, const(7)), const(0xFF))
        result = add(result, mul(byte, const(1 << (8 * i))))
    return result


_OF_ONE: Final[dict[str, _One]] = {
    **dict.fromkeys(("__popc", "__popcnt", "__builtin_popcount"), _population(32)),
    **dict.fromkeys(("__popcll", "__builtin_popcountll", "__builtin_popcountl"), _population(64)),
    **dict.fromkeys(("__clz", "__builtin_clz"), _leading_zeros(32)),
    **dict.fromkeys(("__clzll", "__builtin_clzll", "__builtin_clzl"), _leading_zeros(64)),
    **dict.fromkeys(("__ffs", "__builtin_ffs"), _first_set(32)),
    **dict.fromkeys(("__ffsll", "__builtin_ffsll", "__builtin_ffsl"), _first_set(64)),
    "__builtin_ctz": _trailing_zeros(32),
    **dict.fromkeys(("__builtin_ctzll", "__builtin_ctzl"), _trailing_zeros(64)),
    "__brev": _reversed(32),
    "__brevll": _reversed(64),
}
_OF_TWO: Final[dict[str, _Two]] = {
    **dict.fromkeys(("__mulhi", "mulhi"), _high(32, signed=True)),
    **dict.fromkeys(("__umulhi", "umulhi"), _high(32, signed=False)),
    "__mul64hi": _high(64, signed=True),
    "__umul64hi": _high(64, signed=False),
    **dict.fromkeys(("__hadd", "__uhadd"), _average(0)),
    **dict.fromkeys(("__rhadd", "__urhadd"), _average(1)),
}
_OF_THREE: Final[dict[str, _Three]] = {
    **dict.fromkeys(("__sad", "__usad"), _distance),
    "__funnelshift_l": _funnel(left=True, clamped=False),
    "__funnelshift_lc": _funnel(left=True, clamped=True),
    "__funnelshift_r": _funnel(left=False, clamped=False),
    "__funnelshift_rc": _funnel(left=False, clamped=True),
    "__byte_perm": _byte_permutation,
}
