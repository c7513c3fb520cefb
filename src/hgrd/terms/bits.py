"""Counting and finding bits: `ones_below`, `bit_length` and `lowest_one`, with the masks they are used with.

`ones_below` is the one form of all counts of bits: of a word, of its bits below a lane, of those above one.
"""

from __future__ import annotations

from typing import Final

from hgrd.terms.build import add, bit_and, bit_or, bit_xor, const, mul, shl, shr, sub, wrap
from hgrd.terms.term import Op, Term, intern

_MODULAR: Final = {
    Op.ADD: add,
    Op.SUB: sub,
    Op.MUL: mul,
    Op.AND_BITS: bit_and,
    Op.OR_BITS: bit_or,
    Op.XOR_BITS: bit_xor,
}
_MOST_DEPTH: Final = 16


def ones_below(x: Term, n: Term) -> Term:
    """How many of the `n` lowest bits of `x` (in two's complement of unlimited width) are ones, for n >= 0."""
    if x.is_const and n.is_const and n.value >= 0:
        return const((x.value & ((1 << n.value) - 1)).bit_count())
    if x.op is Op.SUB and x.args[0].is_const and _all_ones(x.args[0].value, max(n.high, 0)):
        return sub(n, ones_below(x.args[1], n))
    if n.is_const and n.value >= 0:
        x = low_bits(x, n.value)
        counted = _counted(x, n.value)
        if counted is not None:
            return counted
    if x.low >= 0 and x.high <= 1 <= n.low:
        return x
    most = max(n.high, 0)
    if x.low >= 0:
        most = min(most, x.high.bit_length())
    return const(0) if most == 0 else intern(Op.ONES_BELOW, None, (x, n), 0, most)


def bit_length(x: Term) -> Term:
    """The position of the highest one in `x` >= 0, counted from 1; 0 if `x` is 0."""
    if x.is_const and x.value >= 0:
        return const(x.value.bit_length())
    low, high = max(x.low, 0).bit_length(), max(x.high, 0).bit_length()
    return const(low) if low == high else intern(Op.BIT_LENGTH, None, (x,), low, high)


def lowest_one(x: Term) -> Term:
    """The position of the lowest one in `x`, counted from 1; 0 if `x` is 0."""
    if x.is_const:
        return const((x.value & -x.value).bit_length())
    high = max(abs(x.low), abs(x.high)).bit_length()
    return intern(Op.LOWEST_ONE, None, (x,), 0 if x.low <= 0 <= x.high else 1, high)


def bit(x: Term, at: Term) -> Term:
    """The bit of `x` at a position >= 0, as 0 or 1."""
    return sub(ones_below(x, add(at, const(1))), ones_below(x, at))


def low_bits(t: Term, bits: int, depth: int = _MOST_DEPTH) -> Term:
    """A term with the same `bits` lowest bits: without the wraps to as many bits or more."""
    while t.op is Op.WRAP and t.wrap_to[0] >= bits:
        t = t.args[0]
    if depth and t.op in _MODULAR:
        one, two = (low_bits(a, bits, depth - 1) for a in t.args)
        return t if (one, two) == t.args else _MODULAR[t.op](one, two)
    if depth and t.op is Op.SHL:
        return shl(low_bits(t.args[0], bits, depth - 1), t.args[1])
    return t


# ---------------------------------------------------------------- masks and shifts in counts


def _counted(x: Term, n: int) -> Term | None:
    """The ones among the n lowest bits of a masked or shifted word, as counts of the word itself; None of others."""
    whole = const(n)
    match x.op:
        case Op.AND_BITS:
            for word, mask in (x.args, x.args[::-1]):
                below, from_ = _below(mask, n), _from(mask, n)
                if below is not None:
                    return ones_below(_word(word, n), below)
                if from_ is not None:
                    word = _word(word, n)
                    return sub(ones_below(word, whole), ones_below(word, from_))
        case Op.SHL if _within(x.args[1], n):
            return ones_below(_word(x.args[0], n), sub(whole, x.args[1]))
        case Op.MUL if (scale := _power(x.args[1], n)) is not None:
            return ones_below(_word(x.args[0], n), sub(whole, scale))
        case Op.SHR if x.args[0].low >= 0 and x.args[0].high < 1 << n and _within(x.args[1], n):
            return sub(ones_below(x.args[0], whole), ones_below(x.args[0], x.args[1]))
        case Op.DIV if x.args[0].low >= 0 and x.args[0].high < 1 << n and (scale := _power(x.args[1], n)) is not None:
            return sub(ones_below(x.args[0], whole), ones_below(x.args[0], scale))
        case _:
            pass
    return None


def _word(t: Term, n: int) -> Term:
    """A value of 0 … 2**n - 1 with the same n lowest bits, the same term for every way to write it."""
    return wrap(low_bits(t, n), n, False, soft=False)


def _below(mask: Term, n: int) -> Term | None:
    """k where the n lowest bits of a mask are ones below position k, and zeros from there on; None of others."""
    match mask.op:
        case Op.CONST:
            low = mask.value & ((1 << n) - 1)
            return const(low.bit_length()) if low & (low + 1) == 0 else None
        case Op.ADD if mask.args[1].is_const and mask.args[1].value == -1:
            return _power(mask.args[0], n)
        case Op.SUB if mask.args[0].is_const and _all_ones(mask.args[0].value, n):
            return _from(mask.args[1], n)
        case Op.SHR if mask.args[0].is_const:
            ones = mask.args[0].value
            left = ones.bit_length()
            count = mask.args[1]
            fits = ones & (ones + 1) == 0 and left <= n and count.low >= 0 and count.high <= left
            return sub(const(left), count) if fits else None
        case _:
            return None


def _from(mask: Term, n: int) -> Term | None:
    """k where the n lowest bits of a mask are zeros below position k, and ones from there on; None of others."""
    match mask.op:
        case Op.CONST:
            low = ~mask.value & ((1 << n) - 1)
            return const(low.bit_length()) if low & (low + 1) == 0 else None
        case Op.SUB if mask.args[0].is_const and mask.args[0].value in (0, 1 << n):
            return _power(mask.args[1], n)
        case Op.SUB if mask.args[0].is_const and _all_ones(mask.args[0].value, n):
            return _below(mask.args[1], n)
        case Op.SHL if mask.args[0].is_const and (first := _from(mask.args[0], n)) is not None:
            k = add(first, mask.args[1])
            return k if mask.args[1].low >= 0 and _within(k, n) else None
        case _:
            return None


def _power(t: Term, n: int) -> Term | None:
    """k where t is 2**k for 0 <= k <= n; None of others."""
    if t.op is Op.CONST:
        k = t.value.bit_length() - 1
        return const(k) if t.value == 1 << k and k <= n else None
    if t.op is Op.MUL and t.args[1].is_const:
        one, two = _power(t.args[0], n), _power(t.args[1], n)
        k = None if one is None or two is None else add(one, two)
    elif t.op is Op.SHL:
        base = _power(t.args[0], n)
        k = None if base is None or not _within(t.args[1], n) else add(base, t.args[1])
    else:
        k = None
    return k if k is not None and _within(k, n) else None


def _within(count: Term, n: int) -> bool:
    return count.low >= 0 and count.high <= n


def _all_ones(value: int, n: int) -> bool:
    return value & ((1 << n) - 1) == (1 << n) - 1


# ---------------------------------------------------------------- rearranged bits


def reversed_bits(x: Term, bits: int) -> Term:
    """The value of `bits` bits (a power of two) with their order reversed: ever smaller halves are exchanged."""
    half = bits
    ones = (1 << bits) - 1
    while half > 1:
        half //= 2
        low = sum(((1 << half) - 1) << at for at in range(0, bits, 2 * half)) & ones
        down = bit_and(shr(x, const(half)), const(low))
        x = bit_or(down, mul(bit_and(x, const(low)), const(1 << half)))
    return x
